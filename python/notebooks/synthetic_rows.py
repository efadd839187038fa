# SPDX-License-Identifier: Apache-2.0
# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Synthetic rows
#
# Rows that look like a table and protect the people in it: paid for once, drawn as often as you
# like.

# %%
import pandas as pd

from equinoise import Ledger, Schema, Synthesizer

people = pd.read_csv("data/adult/adult.csv.gz")
schema = Schema.load("data/adult/schema.toml")
ledger = Ledger("synthetic_rows.ledger").open("adult", epsilon=2, delta=1e-6)

# %% [markdown]
# ## Plan, then fit

# %%
synthesizer = Synthesizer("mst", epsilon=1, delta=1e-9, schema=schema, ledger=ledger)
print(synthesizer.plan())

# %%
synthesizer.fit(people)
print(synthesizer.privacy_)

# %% [markdown]
# ## Rows
#
# They come as the kind of frame that went in.
# With `given` all rows have a value, or lie in a range.

# %%
print(synthesizer.sample(5))
print(synthesizer.sample(5, given={"sex": "Female", "age": (30, 40)}))

# %% [markdown]
# ## How to quote them
#
# The card may be published with the rows.

# %%
print(str(synthesizer.card_)[:1200])

# %% [markdown]
# ## Figures of the records
#
# What software computes from rows leaves out the noise. These intervals cover it, at no cost.

# %%
print(synthesizer.estimate(table="sex"))

# %% [markdown]
# ## How close are they?
#
# This compares with the real records, so it is NOT PRIVATE.
# The error of a bootstrap is that of as many records drawn from the real ones.

# %%
print(synthesizer.evaluate(people, by="sex", degree=2))
