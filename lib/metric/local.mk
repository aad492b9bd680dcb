# What a placement costs.
