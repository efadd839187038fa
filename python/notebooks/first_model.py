# SPDX-License-Identifier: Apache-2.0
# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # A first model
#
# From a frame to a model that protects the people in it, and to what it does to each group.

# %%
import pandas as pd

from equinoise import EquinoiseClassifier, Ledger, Schema, audit

people = pd.read_csv("data/adult/adult.csv.gz")
print(f"{len(people):,} people, {people.shape[1]} columns")

# %% [markdown]
# ## What is public
#
# A private run learns no bounds and no categories from records: a schema says what is public.
# A draft shows what one looks like; it is not private and nobody has reviewed it.

# %%
draft = Schema.draft(people, target="income", dataset="adult")
print(draft.text[:1200])
print(repr(draft))

# %% [markdown]
# For this table somebody has done the work: the bounds and lists of UCI's documentation.
# Of your own draft you would save the text, correct each line, and call `mark_reviewed()`.

# %%
schema = Schema.load("data/adult/schema.toml")
print(repr(schema))
print(schema.check(people))

# %% [markdown]
# ## A budget
#
# The ledger keeps account of everything that is ever released from this table.

# %%
ledger = Ledger("first_model.ledger").open("adult", epsilon=3, delta=1e-6)
print(ledger.show())

# %% [markdown]
# ## Plan, then fit
#
# A plan reads no records and spends nothing.

# %%
model = EquinoiseClassifier("dpsgd", epsilon=1, delta=1e-6, schema=schema, ledger=ledger)
plan = model.plan()
print(f"a fit costs epsilon {plan['privacy']['epsilon']:.3g} at delta {plan['privacy']['delta']:g}")

# %%
features, income = people.drop(columns="income"), people["income"]
model.fit(features, income, sensitive_features=people["sex"])
print(model.privacy_)
print(f"left of the budget: {ledger.left():.4g}")

# %% [markdown]
# ## Who pays for the noise?
#
# Exact figures of groups are for the owner of the data: they are NOT PRIVATE.
# The fit held out a quarter of the records, and `groups_` judges on these.

# %%
held_out = pd.DataFrame(model.groups_)
print(held_out[["sex", "num_records", "accuracy", "accuracy_interval"]])

# %% [markdown]
# An audit judges any predictions, whoever made them; here of everybody.

# %%
report = audit(income, model.predict(features), sensitive_features=people["sex"], pos_label=">50K")
print(report.notice)
print(report.by_group[["sex", "num_records", "accuracy", "accuracy_lower", "accuracy_upper"]])
print(f"selection rates differ by {report.difference()['selection_rate']:.3f}")

# %% [markdown]
# The model and its card may be published; the report beside them is yours.

# %%
model.save("first_model")
print(f"log odds of the first person: {model.decision_function(features.head(1))[0]:.3f}")
