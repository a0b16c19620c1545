"""The environment that Alembic runs migrations in. The caller provides connection and transaction."""

from alembic import context

from svc.storage.migrations import migrate

context.configure(
    connection=context.config.attributes["connection"],
    include_name=migrate.is_ours,
    target_metadata=context.config.attributes.get("metadata"),
    render_as_batch=True,
    transactional_ddl=True,
    on_version_apply=context.config.attributes.get("on_version_apply", ()),
)
with context.begin_transaction():
    context.run_migrations()
