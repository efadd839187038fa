-- Counts the rows that have equal codes in all columns of schema 'people'.
-- It only reads, and gives nothing but whole numbers: the codes, then how many rows have them.
-- A code of 0 or more is a bin of numbers or a listed category; -1 missing, -2 no number,
-- -3 below and -4 above the bounds, -5 not listed, -6 dropped by a rule, -9 none of these.
-- c0: age
-- c1: dose
-- c2: score
-- c3: paid
-- c4: born
-- c5: seen
-- c6: sent
-- c7: city
-- c8: the "arm"
-- c9: ill
SELECT c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, COUNT(*) AS num_rows
FROM (
  SELECT
    CASE
      WHEN x0 IS NULL THEN -1
      WHEN x0 = -9 THEN -1
      WHEN x0 < 17 THEN -3
      WHEN x0 >= 91 THEN -4
      WHEN x0 >= 17 THEN
        CASE WHEN x0 < 54 THEN
          CASE WHEN x0 < 18 THEN
            0
          ELSE
            CASE WHEN x0 < 35 THEN 1 ELSE 2 END
          END
        ELSE
          CASE WHEN x0 < 72 THEN
            3
          ELSE
            CASE WHEN x0 < 90 THEN 4 ELSE 5 END
          END
        END
      ELSE -9
    END AS c0,
    CASE
      WHEN x1 IS NULL THEN -1
      WHEN x1 = CAST('NaN' AS DOUBLE PRECISION) THEN -2
      WHEN x1 = CAST('-9' AS DOUBLE PRECISION) THEN -1
      WHEN x1 < CAST('-0.5' AS DOUBLE PRECISION) THEN -3
      WHEN x1 >= CAST('2.0000000000000004' AS DOUBLE PRECISION) THEN -4
      WHEN x1 >= CAST('-0.5' AS DOUBLE PRECISION) THEN
        CASE WHEN x1 < CAST('0.125' AS DOUBLE PRECISION) THEN
          CASE WHEN x1 < CAST('0' AS DOUBLE PRECISION) THEN
            CASE WHEN x1 < CAST('-0.49999999999999994' AS DOUBLE PRECISION) THEN 0 ELSE 1 END
          ELSE
            CASE WHEN x1 < CAST('1.8189894035458565e-12' AS DOUBLE PRECISION) THEN 2 ELSE 3 END
          END
        ELSE
          CASE WHEN x1 < CAST('1.375' AS DOUBLE PRECISION) THEN
            CASE WHEN x1 < CAST('0.75' AS DOUBLE PRECISION) THEN 4 ELSE 5 END
          ELSE
            CASE WHEN x1 < CAST('2' AS DOUBLE PRECISION) THEN 6 ELSE 7 END
          END
        END
      ELSE -9
    END AS c1,
    CASE
      WHEN x2 IS NULL THEN -1
      WHEN x2 = CAST('NaN' AS DOUBLE PRECISION) THEN -2
      WHEN x2 = CAST('-9' AS DOUBLE PRECISION) THEN -1
      WHEN x2 < CAST('0' AS DOUBLE PRECISION) THEN -3
      WHEN x2 >= CAST('1.0000001192092896' AS DOUBLE PRECISION) THEN -4
      WHEN x2 >= CAST('0' AS DOUBLE PRECISION) THEN
        CASE WHEN x2 < CAST('0.5' AS DOUBLE PRECISION) THEN
          CASE WHEN x2 < CAST('9.094948101931455e-13' AS DOUBLE PRECISION) THEN
            0
          ELSE
            CASE WHEN x2 < CAST('0.25' AS DOUBLE PRECISION) THEN 1 ELSE 2 END
          END
        ELSE
          CASE WHEN x2 < CAST('0.75' AS DOUBLE PRECISION) THEN
            3
          ELSE
            CASE WHEN x2 < CAST('1' AS DOUBLE PRECISION) THEN 4 ELSE 5 END
          END
        END
      ELSE -9
    END AS c2,
    CASE
      WHEN x3 IS NULL THEN -1
      WHEN x3 = CAST('NaN' AS NUMERIC) THEN -2
      WHEN x3 = -9.00 THEN -1
      WHEN x3 < 0.00 THEN -3
      WHEN x3 >= 1000.01 THEN -4
      WHEN x3 >= 0.00 THEN
        CASE WHEN x3 < 500.00 THEN
          CASE WHEN x3 < 0.01 THEN
            0
          ELSE
            CASE WHEN x3 < 250.00 THEN 1 ELSE 2 END
          END
        ELSE
          CASE WHEN x3 < 750.00 THEN
            3
          ELSE
            CASE WHEN x3 < 1000.00 THEN 4 ELSE 5 END
          END
        END
      ELSE -9
    END AS c3,
    CASE
      WHEN x4 IS NULL THEN -1
      WHEN x4 < CAST('0001-01-01' AS DATE) OR x4 > CAST('9999-12-31' AS DATE) THEN -2
      WHEN x4 < CAST('1950-01-01' AS DATE) THEN -3
      WHEN x4 >= CAST('1952-01-02' AS DATE) THEN -4
      WHEN x4 >= CAST('1950-01-01' AS DATE) THEN
        CASE WHEN x4 < CAST('1951-01-01' AS DATE) THEN
          CASE WHEN x4 < CAST('1950-01-02' AS DATE) THEN
            0
          ELSE
            CASE WHEN x4 < CAST('1950-07-02' AS DATE) THEN 1 ELSE 2 END
          END
        ELSE
          CASE WHEN x4 < CAST('1951-07-03' AS DATE) THEN
            3
          ELSE
            CASE WHEN x4 < CAST('1952-01-01' AS DATE) THEN 4 ELSE 5 END
          END
        END
      ELSE -9
    END AS c4,
    CASE
      WHEN x5 IS NULL THEN -1
      WHEN x5 < CAST('0001-01-01 00:00:00' AS TIMESTAMP) OR x5 > CAST('9999-12-31 23:59:59.999999' AS TIMESTAMP) THEN -2
      WHEN x5 < CAST('2024-01-01 00:00:00' AS TIMESTAMP) THEN -3
      WHEN x5 >= CAST('2025-01-01 00:00:00' AS TIMESTAMP) THEN -4
      WHEN x5 >= CAST('2024-01-01 00:00:00' AS TIMESTAMP) THEN
        CASE WHEN x5 < CAST('2024-07-02 00:00:00' AS TIMESTAMP) THEN
          CASE WHEN x5 < CAST('2024-01-01 00:00:01' AS TIMESTAMP) THEN
            0
          ELSE
            CASE WHEN x5 < CAST('2024-04-01 12:00:00' AS TIMESTAMP) THEN 1 ELSE 2 END
          END
        ELSE
          CASE WHEN x5 < CAST('2024-10-01 12:00:00' AS TIMESTAMP) THEN
            3
          ELSE
            CASE WHEN x5 < CAST('2024-12-31 23:59:59' AS TIMESTAMP) THEN 4 ELSE 5 END
          END
        END
      ELSE -9
    END AS c5,
    CASE
      WHEN x6 IS NULL THEN -1
      WHEN x6 < CAST('0001-01-01 00:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) OR x6 > CAST('9999-12-31 21:59:59.999999+00:00' AS TIMESTAMP WITH TIME ZONE) THEN -2
      WHEN x6 < CAST('2023-12-31 22:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN -3
      WHEN x6 >= CAST('2024-12-31 22:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN -4
      WHEN x6 >= CAST('2023-12-31 22:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN
        CASE WHEN x6 < CAST('2024-07-01 22:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN
          CASE WHEN x6 < CAST('2023-12-31 22:01:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN
            0
          ELSE
            CASE WHEN x6 < CAST('2024-04-01 10:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN 1 ELSE 2 END
          END
        ELSE
          CASE WHEN x6 < CAST('2024-10-01 10:00:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN
            3
          ELSE
            CASE WHEN x6 < CAST('2024-12-31 21:59:00+00:00' AS TIMESTAMP WITH TIME ZONE) THEN 4 ELSE 5 END
          END
        END
      ELSE -9
    END AS c6,
    CASE
      WHEN x7 IS NULL THEN -1
      WHEN r7 = ' indented' THEN 2
      WHEN x7 IS NOT NULL THEN
        CASE
          WHEN x7 = '' THEN -1
          WHEN x7 = '-9' THEN -1
          WHEN x7 = '?' THEN -1
          WHEN x7 = E'back\\slash' THEN 1
          WHEN x7 = 'it''s "here"' THEN 0
          WHEN x7 = E'last\nline' THEN 3
          ELSE -5
        END
      ELSE -9
    END AS c7,
    CASE
      WHEN x8 IS NULL THEN -1
      WHEN x8 IS NOT NULL THEN
        CASE
          WHEN x8 = -9 THEN -1
          WHEN x8 = 1 THEN 0
          WHEN x8 = 2 THEN 1
          ELSE -5
        END
      ELSE -9
    END AS c8,
    CASE
      WHEN x9 IS NULL THEN -1
      WHEN x9 = TRUE THEN 1
      WHEN x9 = FALSE THEN 0
      ELSE -9
    END AS c9
  FROM (
    SELECT
      "age" AS x0,
      "dose" AS x1,
      "score" AS x2,
      "paid" AS x3,
      "born" AS x4,
      "seen" AS x5,
      "sent" AS x6,
      BTRIM(CAST("city" AS TEXT), ' ' || chr(9)) COLLATE "C" AS x7,
      CAST("city" AS TEXT) COLLATE "C" AS r7,
      "the ""arm""" AS x8,
      "ill" AS x9
    FROM "visits"."people"
  ) AS cells
) AS coded
GROUP BY c0, c1, c2, c3, c4, c5, c6, c7, c8, c9
