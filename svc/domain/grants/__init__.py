"""Connected apps: what a person has allowed an app to do here, by OAuth 2.1."""
