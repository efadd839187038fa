SELECT COUNT(DISTINCT id) AS num_units
FROM (
  SELECT TRIM("person", ' ' || chr(9)) COLLATE "binary" AS id
  FROM "visits"
) AS ids
WHERE id IS NOT NULL AND id NOT IN ('', '?')
-- Counts the rows that have equal codes in all columns of schema 'visits'.
-- It only reads, and gives nothing but whole numbers: the codes, then how many rows have them.
-- A code of 0 or more is a bin of numbers or a listed category; -1 missing, -2 no number,
-- -3 below and -4 above the bounds, -5 not listed, -6 dropped by a rule, -9 none of these.
-- c0: age
-- c1: ill
-- Of each 'person' at most 3 rows count, those with the smallest SHA-256.
SELECT c0, c1, COUNT(*) AS num_rows
FROM (
  SELECT c0, c1, ROW_NUMBER() OVER (
    PARTITION BY id
    ORDER BY sha256(id || chr(31) ||
        CASE c0 WHEN -6 THEN 'd' WHEN -1 THEN 'm' ELSE CAST(c0 AS VARCHAR) END || chr(31) ||
        CASE c1 WHEN -6 THEN 'd' WHEN -1 THEN 'm' ELSE CAST(c1 AS VARCHAR) END || chr(31) || CAST(copy AS VARCHAR))
  ) AS place
  FROM (
    SELECT id, c0, c1, ROW_NUMBER() OVER (PARTITION BY id, c0, c1 ORDER BY id) AS copy
    FROM (
      SELECT
        id,
        CASE
          WHEN x0 IS NULL THEN -1
          WHEN isnan(x0) THEN -1
          WHEN x0 < CAST('0' AS DOUBLE) THEN 0
          WHEN x0 >= CAST('3.0000000000000004' AS DOUBLE) THEN 3
          WHEN x0 <> FLOOR(x0) THEN -6
          WHEN x0 >= CAST('0' AS DOUBLE) THEN
            CASE WHEN x0 < CAST('2' AS DOUBLE) THEN
              CASE WHEN x0 < CAST('1' AS DOUBLE) THEN 0 ELSE 1 END
            ELSE
              CASE WHEN x0 < CAST('3' AS DOUBLE) THEN 2 ELSE 3 END
            END
          ELSE -6
        END AS c0,
        CASE
          WHEN x1 IS NULL THEN 3
          WHEN x1 IS NOT NULL THEN COALESCE(list_extract([3, 3, 0, 1], list_position(['', '?', 'no', 'yes'], x1)), CASE WHEN LOWER(x1) IN ('false', 'f', 'no', 'n', 'off', '0') THEN 0 WHEN LOWER(x1) IN ('true', 't', 'yes', 'y', 'on', '1') THEN 1 ELSE 2 END)
          ELSE 2
        END AS c1
      FROM (
        SELECT
          TRIM("person", ' ' || chr(9)) COLLATE "binary" AS id,
          "age" AS x0,
          TRIM("ill", ' ' || chr(9)) COLLATE "binary" AS x1
        FROM "visits"
      ) AS cells
      WHERE id IS NOT NULL AND id NOT IN ('', '?')
    ) AS coded
  ) AS copies
) AS placed
WHERE place <= 3
GROUP BY c0, c1
