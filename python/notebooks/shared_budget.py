# SPDX-License-Identifier: Apache-2.0
# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A budget shared over weeks
#
# One table, one account, several releases. The ledger adds them up, and refuses what would be too
# much before anything is spent.

# %%
import pandas as pd

from equinoise import (
    BudgetError,
    EquinoiseClassifier,
    Ledger,
    Schema,
    Synthesizer,
    UsageError,
    account,
    means,
)

people = pd.read_csv("data/adult/adult.csv.gz")
schema = Schema.load("data/adult/schema.toml")

# %% [markdown]
# ## Before the first week: what fits?
#
# A calculator needs no data: releases that are planned together cost less than their sum.

# %%
print(f"two Gaussian releases with noise 5: epsilon {account.epsilon(gaussian=[5, 5]):.4g}")
print(f"each by itself: {account.epsilon(gaussian=5):.4g}")
print(account.compare(gaussian=[5, 5]))

# %% [markdown]
# ## The account is opened once

# %%
with Ledger("shared.ledger") as ledger:
    ledger.open("adult", epsilon=2, delta=1e-6)
    print(ledger.show())

# %% [markdown]
# ## Week 1: means of groups
#
# `ledger_key` names the spend: a script that runs twice does not pay twice.

# %%
ledger = Ledger("shared.ledger")
hours = means(
    people,
    "hours_per_week",
    by="sex",
    schema=schema,
    ledger=ledger,
    epsilon=0.5,
    ledger_key="week 1",
)
print(hours)
try:
    means(people, "hours_per_week", schema=schema, ledger=ledger, epsilon=0.5, ledger_key="week 1")
except UsageError as error:
    print(f"refused: {error}")
print(f"left: {ledger.left():.4g}")

# %% [markdown]
# ## Week 2: synthetic rows

# %%
rows = (
    Synthesizer("mst", epsilon=0.5, delta=1e-9, schema=schema, ledger=ledger).fit(people).sample()
)
print(rows.head())
print(f"left: {ledger.left():.4g}")

# %% [markdown]
# ## Week 3: a model

# %%
model = EquinoiseClassifier("dpsgd", epsilon=0.8, schema=schema, ledger=ledger)
model.fit(people.drop(columns="income"), people["income"])
print(f"left: {ledger.left():.4g}")

# %% [markdown]
# ## Week 4: no more
#
# The rows and the model of earlier weeks stay: drawing and predicting cost nothing.

# %%
try:
    means(people, "age", by="race", schema=schema, ledger=ledger, epsilon=1)
except BudgetError as error:
    print(f"refused: {error}")
print(ledger.show())
