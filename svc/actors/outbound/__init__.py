"""The HTTP client for requests to other people's servers, such as pushes to bridges.

`client` is what callers use. `target` parses addresses, `connector` makes connections to them, `pool` bounds
requests and keeps connections, and `exchange` sends one request and receives its `answer`. `deliverer` is the
base of the actors that send what is stored, and `signed_posts` signs what some of them send.
"""
