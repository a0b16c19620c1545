CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO alembic_version (version_num) VALUES ('0037');
CREATE TABLE visitor_keys (
	day INTEGER NOT NULL, 
	"key" BLOB NOT NULL, 
	CONSTRAINT pk_visitor_keys PRIMARY KEY (day)
);
INSERT INTO visitor_keys (day, key) VALUES (0, X'006279746573');
INSERT INTO visitor_keys (day, key) VALUES (1, X'006279746573');
CREATE TABLE objects (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	slug TEXT NOT NULL, 
	label TEXT NOT NULL, 
	label_plural TEXT NOT NULL, 
	publishable BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, duplicates_state TEXT, duplicates_cursor TEXT, 
	CONSTRAINT pk_objects PRIMARY KEY (id), 
	CONSTRAINT fk_objects_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_objects_organization_id_slug UNIQUE (organization_id, slug)
);
INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable, created_at, version, duplicates_state, duplicates_cursor) VALUES ('obj_01J00000000000000000000001', 'org_01J00000000000000000000001', 'contact', 'label 1', 'label_plural 1', 0, 1789689600001, 0, 'duplicates_state 1', 'duplicates_cursor 1');
INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable, created_at, version, duplicates_state, duplicates_cursor) VALUES ('obj_01J00000000000000000000002', 'org_01J00000000000000000000002', 'contact', 'label 2', 'label_plural 2', 1, 1789689600002, 1, NULL, NULL);
INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable, created_at, version, duplicates_state, duplicates_cursor) VALUES ('obj_company_1', 'org_01J00000000000000000000001', 'company', 'company', 'company', 0, 1789689600000, 1, NULL, NULL);
INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable, created_at, version, duplicates_state, duplicates_cursor) VALUES ('obj_deal_1', 'org_01J00000000000000000000001', 'deal', 'deal', 'deal', 0, 1789689600000, 1, NULL, NULL);
INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable, created_at, version, duplicates_state, duplicates_cursor) VALUES ('obj_company_2', 'org_01J00000000000000000000002', 'company', 'company', 'company', 0, 1789689600000, 1, NULL, NULL);
INSERT INTO objects (id, organization_id, slug, label, label_plural, publishable, created_at, version, duplicates_state, duplicates_cursor) VALUES ('obj_deal_2', 'org_01J00000000000000000000002', 'deal', 'deal', 'deal', 0, 1789689600000, 1, NULL, NULL);
CREATE TABLE server_keys (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	visible_start TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, 
	CONSTRAINT pk_server_keys PRIMARY KEY (id), 
	CONSTRAINT fk_server_keys_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_server_keys_digest UNIQUE (digest)
);
INSERT INTO server_keys (id, organization_id, name, digest, visible_start, created_at, expires_at, revoked_at) VALUES ('ser_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 'digest 1', 'visible_start 1', 1789689600001, 1789689600001, 1789689600001);
INSERT INTO server_keys (id, organization_id, name, digest, visible_start, created_at, expires_at, revoked_at) VALUES ('ser_01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', 'digest 2', 'visible_start 2', 1789689600002, 1789689600002, NULL);
CREATE TABLE sites (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	domain TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	removed_at BIGINT, last_view_at BIGINT, 
	CONSTRAINT pk_sites PRIMARY KEY (id), 
	CONSTRAINT fk_sites_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO sites (id, organization_id, domain, created_at, removed_at, last_view_at) VALUES ('sit_01J00000000000000000000001', 'org_01J00000000000000000000001', 'shop.example', 1789689600001, 1789689600001, 1789689600000);
INSERT INTO sites (id, organization_id, domain, created_at, removed_at, last_view_at) VALUES ('sit_01J00000000000000000000002', 'org_01J00000000000000000000002', 'blog.example', 1789689600002, NULL, NULL);
CREATE TABLE forms (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	site_id TEXT, 
	name TEXT NOT NULL, 
	form_key TEXT NOT NULL, 
	status TEXT NOT NULL, 
	field_map TEXT NOT NULL, 
	deal_title TEXT, 
	honeypot TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_forms PRIMARY KEY (id), 
	CONSTRAINT fk_forms_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_forms_site_id FOREIGN KEY(site_id) REFERENCES sites (id), 
	CONSTRAINT uq_forms_form_key UNIQUE (form_key)
);
INSERT INTO forms (id, organization_id, site_id, name, form_key, status, field_map, deal_title, honeypot, created_at, updated_at, version) VALUES ('for_01J00000000000000000000001', 'org_01J00000000000000000000001', 'sit_01J00000000000000000000001', 'name 1', 'form_key 1', 'active', '{}', 'deal_title 1', 'honeypot 1', 1789689600001, 1789689600001, 0);
INSERT INTO forms (id, organization_id, site_id, name, form_key, status, field_map, deal_title, honeypot, created_at, updated_at, version) VALUES ('for_01J00000000000000000000002', 'org_01J00000000000000000000002', 'sit_01J00000000000000000000002', 'name 2', 'form_key 2', 'paused', '{}', NULL, NULL, 1789689600002, 1789689600002, 1);
CREATE TABLE identities (
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	CONSTRAINT fk_identities_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_identities_record_id FOREIGN KEY(record_id) REFERENCES records (id)
);
INSERT INTO identities (organization_id, kind, value, record_id) VALUES ('org_01J00000000000000000000001', 'email', 'person1@example.com', 'rec_01J00000000000000000000001');
INSERT INTO identities (organization_id, kind, value, record_id) VALUES ('org_01J00000000000000000000002', 'email', 'person2@example.com', 'rec_01J00000000000000000000002');
CREATE TABLE submissions (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	form_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	received_at BIGINT NOT NULL, 
	sender TEXT NOT NULL, 
	visitors TEXT, 
	email TEXT, 
	phone TEXT, 
	name TEXT, 
	fields TEXT NOT NULL, 
	recognised TEXT NOT NULL, 
	mapped TEXT NOT NULL, 
	dropped INTEGER NOT NULL, 
	queued_at BIGINT, 
	paced_at BIGINT, 
	filed_at BIGINT, 
	filed_by TEXT, 
	held_reason TEXT, 
	candidates TEXT, 
	contact_id TEXT, 
	deal_id TEXT, discarded_from TEXT, discarded_at BIGINT, discarded_by TEXT, restored_at BIGINT, 
	CONSTRAINT pk_submissions PRIMARY KEY (id), 
	CONSTRAINT fk_submissions_contact_id FOREIGN KEY(contact_id) REFERENCES records (id), 
	CONSTRAINT fk_submissions_deal_id FOREIGN KEY(deal_id) REFERENCES records (id), 
	CONSTRAINT fk_submissions_form_id FOREIGN KEY(form_id) REFERENCES forms (id), 
	CONSTRAINT fk_submissions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO submissions (id, organization_id, form_id, state, received_at, sender, visitors, email, phone, name, fields, recognised, mapped, dropped, queued_at, paced_at, filed_at, filed_by, held_reason, candidates, contact_id, deal_id, discarded_from, discarded_at, discarded_by, restored_at) VALUES ('sub_01J00000000000000000000001', 'org_01J00000000000000000000001', 'for_01J00000000000000000000001', 'filed', 1789689600001, 'sender 1', '[]', 'email 1', 'phone 1', 'name 1', '{"email":"person1@example.com"}', '[]', '{}', 0, NULL, 1789689600000, 1789689600001, 'filed_by 1', NULL, NULL, 'rec_01J00000000000000000000001', NULL, NULL, NULL, NULL, NULL);
INSERT INTO submissions (id, organization_id, form_id, state, received_at, sender, visitors, email, phone, name, fields, recognised, mapped, dropped, queued_at, paced_at, filed_at, filed_by, held_reason, candidates, contact_id, deal_id, discarded_from, discarded_at, discarded_by, restored_at) VALUES ('sub_01J00000000000000000000002', 'org_01J00000000000000000000002', 'for_01J00000000000000000000002', 'held', 1789689600002, 'sender 2', NULL, NULL, NULL, NULL, '{}', '[]', '{}', 1, NULL, 1789689600000, NULL, NULL, 'similar', '[]', NULL, NULL, NULL, NULL, NULL, 1789689600000);
CREATE TABLE visits (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	site_id TEXT NOT NULL, 
	visitor TEXT NOT NULL, 
	url TEXT NOT NULL, 
	referrer TEXT, 
	title TEXT, 
	at BIGINT NOT NULL, 
	record_id TEXT, 
	CONSTRAINT pk_visits PRIMARY KEY (id), 
	CONSTRAINT fk_visits_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_visits_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_visits_site_id FOREIGN KEY(site_id) REFERENCES sites (id)
);
INSERT INTO visits (id, organization_id, site_id, visitor, url, referrer, title, at, record_id) VALUES ('vis_01J00000000000000000000001', 'org_01J00000000000000000000001', 'sit_01J00000000000000000000001', 'visitor 1', 'url 1', 'referrer 1', 'title 1', 1789689600001, 'rec_01J00000000000000000000001');
INSERT INTO visits (id, organization_id, site_id, visitor, url, referrer, title, at, record_id) VALUES ('vis_01J00000000000000000000002', 'org_01J00000000000000000000002', 'sit_01J00000000000000000000002', 'visitor 2', 'url 2', NULL, NULL, 1789689600002, 'rec_01J00000000000000000000002');
CREATE TABLE notes (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	body TEXT NOT NULL, 
	submission_id TEXT, 
	created_at BIGINT NOT NULL, source TEXT, 
	CONSTRAINT pk_notes PRIMARY KEY (id), 
	CONSTRAINT fk_notes_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_notes_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_notes_submission_id FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
INSERT INTO notes (id, organization_id, record_id, title, body, submission_id, created_at, source) VALUES ('not_01J00000000000000000000001', 'org_01J00000000000000000000001', 'rec_01J00000000000000000000001', 'title 1', 'body 1', 'sub_01J00000000000000000000001', 1789689600001, '{}');
INSERT INTO notes (id, organization_id, record_id, title, body, submission_id, created_at, source) VALUES ('not_01J00000000000000000000002', 'org_01J00000000000000000000002', 'rec_01J00000000000000000000002', 'title 2', 'body 2', 'sub_01J00000000000000000000002', 1789689600002, NULL);
CREATE TABLE suggestions (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	property TEXT NOT NULL, 
	value TEXT NOT NULL, 
	submission_id TEXT, 
	state TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	decided_at BIGINT, 
	CONSTRAINT pk_suggestions PRIMARY KEY (id), 
	CONSTRAINT fk_suggestions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_suggestions_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_suggestions_submission_id FOREIGN KEY(submission_id) REFERENCES submissions (id)
);
INSERT INTO suggestions (id, organization_id, record_id, property, value, submission_id, state, created_at, decided_at) VALUES ('sug_01J00000000000000000000001', 'org_01J00000000000000000000001', 'rec_01J00000000000000000000001', 'property 1', '"x"', 'sub_01J00000000000000000000001', 'accepted', 1789689600001, 1789689600001);
INSERT INTO suggestions (id, organization_id, record_id, property, value, submission_id, state, created_at, decided_at) VALUES ('sug_01J00000000000000000000002', 'org_01J00000000000000000000002', 'rec_01J00000000000000000000002', 'property 2', '"y"', 'sub_01J00000000000000000000002', 'open', 1789689600002, NULL);
CREATE TABLE record_changes (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	changed TEXT NOT NULL, 
	source TEXT NOT NULL, version INTEGER, 
	CONSTRAINT pk_record_changes PRIMARY KEY (id), 
	CONSTRAINT fk_record_changes_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_record_changes_record_id FOREIGN KEY(record_id) REFERENCES records (id)
);
INSERT INTO record_changes (id, organization_id, record_id, kind, at, changed, source, version) VALUES ('rec_01J00000000000000000000001', 'org_01J00000000000000000000001', 'rec_01J00000000000000000000001', 'created', 1789689600001, '{}', '{}', 0);
INSERT INTO record_changes (id, organization_id, record_id, kind, at, changed, source, version) VALUES ('rec_01J00000000000000000000002', 'org_01J00000000000000000000002', 'rec_01J00000000000000000000002', 'created', 1789689600002, '{}', '{}', NULL);
CREATE TABLE record_keys (
	property_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	"key" BLOB NOT NULL, 
	CONSTRAINT pk_record_keys PRIMARY KEY (property_id, record_id), 
	CONSTRAINT fk_record_keys_property_id FOREIGN KEY(property_id) REFERENCES properties (id), 
	CONSTRAINT fk_record_keys_record_id FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;
INSERT INTO record_keys (property_id, record_id, key) VALUES ('pro_01J00000000000000000000001', 'rec_01J00000000000000000000001', X'006279746573');
INSERT INTO record_keys (property_id, record_id, key) VALUES ('pro_01J00000000000000000000002', 'rec_01J00000000000000000000002', X'006279746573');
CREATE TABLE relations (
	target_id TEXT NOT NULL, 
	property_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	CONSTRAINT pk_relations PRIMARY KEY (target_id, property_id, record_id), 
	CONSTRAINT fk_relations_property_id FOREIGN KEY(property_id) REFERENCES properties (id), 
	CONSTRAINT fk_relations_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_relations_target_id FOREIGN KEY(target_id) REFERENCES records (id)
)
 WITHOUT ROWID

;
INSERT INTO relations (target_id, property_id, record_id) VALUES ('rec_01J00000000000000000000001', 'pro_01J00000000000000000000001', 'rec_01J00000000000000000000001');
INSERT INTO relations (target_id, property_id, record_id) VALUES ('rec_01J00000000000000000000002', 'pro_01J00000000000000000000002', 'rec_01J00000000000000000000002');
CREATE TABLE search_texts (
	id INTEGER NOT NULL, 
	record_id TEXT NOT NULL, 
	words TEXT NOT NULL, 
	CONSTRAINT pk_search_texts PRIMARY KEY (id), 
	CONSTRAINT fk_search_texts_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT uq_search_texts_record_id UNIQUE (record_id)
);
INSERT INTO search_texts (id, record_id, words) VALUES (0, 'rec_01J00000000000000000000001', 'contactx person');
INSERT INTO search_texts (id, record_id, words) VALUES (1, 'rec_01J00000000000000000000002', 'contactx person');
CREATE TABLE unique_values (
	property_id TEXT NOT NULL, 
	value TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	CONSTRAINT pk_unique_values PRIMARY KEY (property_id, value), 
	CONSTRAINT fk_unique_values_property_id FOREIGN KEY(property_id) REFERENCES properties (id), 
	CONSTRAINT fk_unique_values_record_id FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;
INSERT INTO unique_values (property_id, value, record_id) VALUES ('pro_01J00000000000000000000001', 'value 1', 'rec_01J00000000000000000000001');
INSERT INTO unique_values (property_id, value, record_id) VALUES ('pro_01J00000000000000000000002', 'value 2', 'rec_01J00000000000000000000002');
CREATE TABLE "properties" (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	object_id TEXT NOT NULL, 
	slug TEXT NOT NULL, 
	label TEXT NOT NULL, 
	type TEXT NOT NULL, 
	options TEXT NOT NULL, 
	personal BOOLEAN NOT NULL, 
	position INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	unique_values BOOLEAN DEFAULT 0 NOT NULL, 
	index_state TEXT, 
	index_cursor TEXT, 
	deleted_at BIGINT, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_properties PRIMARY KEY (id), 
	CONSTRAINT uq_properties_object_id_slug UNIQUE (object_id, slug), 
	CONSTRAINT fk_properties_object_id FOREIGN KEY(object_id) REFERENCES objects (id), 
	CONSTRAINT fk_properties_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO properties (id, organization_id, object_id, slug, label, type, options, personal, position, created_at, unique_values, index_state, index_cursor, deleted_at, version) VALUES ('pro_01J00000000000000000000001', 'org_01J00000000000000000000001', 'obj_01J00000000000000000000001', 'email', 'label 1', 'email', '[]', 0, 0, 1789689600001, 0, 'ready', NULL, NULL, 0);
INSERT INTO properties (id, organization_id, object_id, slug, label, type, options, personal, position, created_at, unique_values, index_state, index_cursor, deleted_at, version) VALUES ('pro_01J00000000000000000000002', 'org_01J00000000000000000000002', 'obj_01J00000000000000000000002', 'name', 'label 2', 'text', '[]', 1, 1, 1789689600002, 1, NULL, NULL, NULL, 1);
CREATE TABLE "records" (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	object_id TEXT NOT NULL, 
	properties TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	deleted_at BIGINT, 
	merged_into TEXT, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (id), 
	CONSTRAINT fk_records_object_id FOREIGN KEY(object_id) REFERENCES objects (id), 
	CONSTRAINT fk_records_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_records_merged_into FOREIGN KEY(merged_into) REFERENCES records (id)
);
INSERT INTO records (id, organization_id, object_id, properties, created_at, updated_at, deleted_at, merged_into, version) VALUES ('rec_01J00000000000000000000001', 'org_01J00000000000000000000001', 'obj_01J00000000000000000000001', '{"name":"Person 1","email":"person1@example.com"}', 1789689600001, 1789689600001, NULL, NULL, 0);
INSERT INTO records (id, organization_id, object_id, properties, created_at, updated_at, deleted_at, merged_into, version) VALUES ('rec_01J00000000000000000000002', 'org_01J00000000000000000000002', 'obj_01J00000000000000000000002', '{"name":"Person 2","email":"person2@example.com"}', 1789689600002, 1789689600002, NULL, NULL, 1);
CREATE VIRTUAL TABLE search_index USING fts5(words, content='search_texts', content_rowid='id', detail=none, columnsize=0, tokenize='ascii', prefix='11');
CREATE TABLE sign_in_failures (
	id TEXT NOT NULL, 
	account TEXT NOT NULL, 
	address TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_sign_in_failures PRIMARY KEY (id)
);
INSERT INTO sign_in_failures (id, account, address, at) VALUES ('sig_01J00000000000000000000001', 'account 1', 'address 1', 1789689600001);
INSERT INTO sign_in_failures (id, account, address, at) VALUES ('sig_01J00000000000000000000002', 'account 2', 'address 2', 1789689600002);
CREATE TABLE roles (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	permissions TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_roles PRIMARY KEY (id), 
	CONSTRAINT fk_roles_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_roles_organization_id_name UNIQUE (organization_id, name)
);
INSERT INTO roles (id, organization_id, name, permissions, created_at, updated_at, version) VALUES ('rol_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', '["forms"]', 1789689600001, 1789689600001, 0);
INSERT INTO roles (id, organization_id, name, permissions, created_at, updated_at, version) VALUES ('rol_01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', '[]', 1789689600002, 1789689600002, 1);
CREATE TABLE teams (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_teams PRIMARY KEY (id), 
	CONSTRAINT fk_teams_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_teams_organization_id_name UNIQUE (organization_id, name)
);
INSERT INTO teams (id, organization_id, name, created_at) VALUES ('tea_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 1789689600001);
INSERT INTO teams (id, organization_id, name, created_at) VALUES ('tea_01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', 1789689600002);
CREATE TABLE api_keys (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	creator_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	visible_start TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	tools TEXT, 
	limited_to TEXT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, 
	last_used_at BIGINT, monthly_budget_micro_credits BIGINT, models TEXT, 
	CONSTRAINT pk_api_keys PRIMARY KEY (id), 
	CONSTRAINT fk_api_keys_creator_id FOREIGN KEY(creator_id) REFERENCES people (id), 
	CONSTRAINT fk_api_keys_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO api_keys (id, organization_id, creator_id, name, digest, visible_start, role_id, tools, limited_to, created_at, expires_at, revoked_at, last_used_at, monthly_budget_micro_credits, models) VALUES ('api_01J00000000000000000000001', 'org_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'name 1', 'digest 1', 'visible_start 1', 'viewer', '["record.get"]', NULL, 1789689600001, 1789689600001, 1789689600001, 1789689600001, 0, NULL);
INSERT INTO api_keys (id, organization_id, creator_id, name, digest, visible_start, role_id, tools, limited_to, created_at, expires_at, revoked_at, last_used_at, monthly_budget_micro_credits, models) VALUES ('api_01J00000000000000000000002', 'org_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'name 2', 'digest 2', 'visible_start 2', 'owner', NULL, NULL, 1789689600002, 1789689600002, NULL, NULL, NULL, '["small"]');
CREATE TABLE audit (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	caller_kind TEXT NOT NULL, 
	caller_id TEXT NOT NULL, 
	person_id TEXT, 
	door TEXT NOT NULL, 
	action TEXT NOT NULL, 
	target TEXT, 
	outcome TEXT NOT NULL, 
	reason TEXT, 
	request_id TEXT, asked_by TEXT, 
	CONSTRAINT pk_audit PRIMARY KEY (id), 
	CONSTRAINT fk_audit_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_audit_person_id FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO audit (id, organization_id, at, caller_kind, caller_id, person_id, door, action, target, outcome, reason, request_id, asked_by) VALUES ('aud_01J00000000000000000000001', 'org_01J00000000000000000000001', 1789689600001, 'caller_kind 1', 'caller_id 1', 'peo_01J00000000000000000000001', 'door 1', 'action 1', 'target 1', 'refused', 'reason 1', 'request_id 1', '{"kind":"agent","runId":"agr_1"}');
INSERT INTO audit (id, organization_id, at, caller_kind, caller_id, person_id, door, action, target, outcome, reason, request_id, asked_by) VALUES ('aud_01J00000000000000000000002', 'org_01J00000000000000000000002', 1789689600002, 'caller_kind 2', 'caller_id 2', 'peo_01J00000000000000000000002', 'door 2', 'action 2', NULL, 'done', NULL, NULL, NULL);
CREATE TABLE invitations (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	email TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	team_ids TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	invited_by TEXT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	accepted_at BIGINT, mailed_digest TEXT, 
	CONSTRAINT pk_invitations PRIMARY KEY (id), 
	CONSTRAINT fk_invitations_invited_by FOREIGN KEY(invited_by) REFERENCES people (id), 
	CONSTRAINT fk_invitations_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_invitations_digest UNIQUE (digest)
);
INSERT INTO invitations (id, organization_id, email, role_id, team_ids, digest, invited_by, created_at, expires_at, accepted_at, mailed_digest) VALUES ('inv_01J00000000000000000000001', 'org_01J00000000000000000000001', 'new1@example.com', 'viewer', '[]', 'digest 1', 'peo_01J00000000000000000000001', 1789689600001, 1789689600001, 1789689600001, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO invitations (id, organization_id, email, role_id, team_ids, digest, invited_by, created_at, expires_at, accepted_at, mailed_digest) VALUES ('inv_01J00000000000000000000002', 'org_01J00000000000000000000002', 'new2@example.com', 'viewer', '[]', 'digest 2', 'peo_01J00000000000000000000002', 1789689600002, 1789689600002, NULL, NULL);
CREATE TABLE members (
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	status TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (organization_id, person_id), 
	CONSTRAINT fk_members_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_members_person_id FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO members (organization_id, person_id, role_id, status, created_at, updated_at) VALUES ('org_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'owner', 'active', 1789689600001, 1789689600001);
INSERT INTO members (organization_id, person_id, role_id, status, created_at, updated_at) VALUES ('org_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'owner', 'active', 1789689600002, 1789689600002);
CREATE TABLE sessions (
	id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	user_agent TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	confirmed_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, last_address TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_person_id FOREIGN KEY(person_id) REFERENCES people (id), 
	CONSTRAINT uq_sessions_digest UNIQUE (digest)
);
INSERT INTO sessions (id, person_id, digest, user_agent, created_at, confirmed_at, seen_at, expires_at, revoked_at, last_address) VALUES ('ses_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'digest 1', 'user_agent 1', 1789689600001, 1789689600001, 1789689600001, 1789689600001, 1789689600001, 'last_address 1');
INSERT INTO sessions (id, person_id, digest, user_agent, created_at, confirmed_at, seen_at, expires_at, revoked_at, last_address) VALUES ('ses_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'digest 2', 'user_agent 2', 1789689600002, 1789689600002, 1789689600002, 1789689600002, NULL, NULL);
CREATE TABLE sign_in_links (
	digest TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	used_at BIGINT, 
	CONSTRAINT pk_sign_in_links PRIMARY KEY (digest), 
	CONSTRAINT fk_sign_in_links_person_id FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO sign_in_links (digest, person_id, created_at, expires_at, used_at) VALUES ('digest 1', 'peo_01J00000000000000000000001', 1789689600001, 1789689600001, 1789689600001);
INSERT INTO sign_in_links (digest, person_id, created_at, expires_at, used_at) VALUES ('digest 2', 'peo_01J00000000000000000000002', 1789689600002, 1789689600002, NULL);
CREATE TABLE team_members (
	organization_id TEXT NOT NULL, 
	team_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	CONSTRAINT pk_team_members PRIMARY KEY (team_id, person_id), 
	CONSTRAINT fk_team_members_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_team_members_person_id FOREIGN KEY(person_id) REFERENCES people (id), 
	CONSTRAINT fk_team_members_team_id FOREIGN KEY(team_id) REFERENCES teams (id)
);
INSERT INTO team_members (organization_id, team_id, person_id) VALUES ('org_01J00000000000000000000001', 'tea_01J00000000000000000000001', 'peo_01J00000000000000000000001');
INSERT INTO team_members (organization_id, team_id, person_id) VALUES ('org_01J00000000000000000000002', 'tea_01J00000000000000000000002', 'peo_01J00000000000000000000002');
CREATE TABLE "organizations" (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	country TEXT NOT NULL, 
	currency TEXT NOT NULL, 
	locale TEXT NOT NULL, 
	time_zone TEXT NOT NULL, 
	"plan" TEXT NOT NULL, 
	trial_ends_at BIGINT, 
	marketing_hub BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	closed_at BIGINT, 
	allow_keys_elsewhere BOOLEAN DEFAULT 0 NOT NULL, version INTEGER DEFAULT '1' NOT NULL, own_provider_falls_back_to_credits BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_organizations PRIMARY KEY (id)
);
INSERT INTO organizations (id, name, country, currency, locale, time_zone, plan, trial_ends_at, marketing_hub, created_at, closed_at, allow_keys_elsewhere, version, own_provider_falls_back_to_credits) VALUES ('org_01J00000000000000000000001', 'name 1', 'DE', 'EUR', 'de_DE', 'Europe/Berlin', 'pro', 1789689600001, 0, 1789689600001, NULL, 0, 0, 0);
INSERT INTO organizations (id, name, country, currency, locale, time_zone, plan, trial_ends_at, marketing_hub, created_at, closed_at, allow_keys_elsewhere, version, own_provider_falls_back_to_credits) VALUES ('org_01J00000000000000000000002', 'name 2', 'GB', 'GBP', 'en_GB', 'UTC', 'free', NULL, 1, 1789689600002, NULL, 1, 1, 1);
CREATE TABLE embeds (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	site_id TEXT, 
	name TEXT NOT NULL, 
	embed_key TEXT NOT NULL, 
	status TEXT NOT NULL, 
	blocks TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_embeds PRIMARY KEY (id), 
	CONSTRAINT fk_embeds_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_embeds_site_id FOREIGN KEY(site_id) REFERENCES sites (id), 
	CONSTRAINT uq_embeds_embed_key UNIQUE (embed_key)
);
INSERT INTO embeds (id, organization_id, site_id, name, embed_key, status, blocks, created_at, updated_at, version) VALUES ('emb_01J00000000000000000000001', 'org_01J00000000000000000000001', 'sit_01J00000000000000000000001', 'name 1', 'embed_key 1', 'active', '[]', 1789689600001, 1789689600001, 0);
INSERT INTO embeds (id, organization_id, site_id, name, embed_key, status, blocks, created_at, updated_at, version) VALUES ('emb_01J00000000000000000000002', 'org_01J00000000000000000000002', 'sit_01J00000000000000000000002', 'name 2', 'embed_key 2', 'paused', '[]', 1789689600002, 1789689600002, 1);
CREATE TABLE connections (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	account_kind TEXT NOT NULL, 
	account_id TEXT, 
	messenger TEXT NOT NULL, 
	delivery TEXT NOT NULL, 
	url TEXT, 
	contract TEXT NOT NULL, 
	status TEXT NOT NULL, 
	pause_reason TEXT, 
	health_state TEXT, 
	health_reason TEXT, 
	health_detail TEXT, 
	health_at BIGINT, 
	secret BLOB, 
	previous_secret BLOB, 
	previous_secret_until BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_connections PRIMARY KEY (id), 
	CONSTRAINT fk_connections_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO connections (id, organization_id, name, account_kind, account_id, messenger, delivery, url, contract, status, pause_reason, health_state, health_reason, health_detail, health_at, secret, previous_secret, previous_secret_until, created_at, updated_at) VALUES ('con_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 'organization', NULL, 'telegram', 'pull', NULL, '2026-09', 'active', 'pause_reason 1', 'health_state 1', 'health_reason 1', 'health_detail 1', 1789689600001, NULL, X'006279746573', 0, 1789689600001, 1789689600001);
INSERT INTO connections (id, organization_id, name, account_kind, account_id, messenger, delivery, url, contract, status, pause_reason, health_state, health_reason, health_detail, health_at, secret, previous_secret, previous_secret_until, created_at, updated_at) VALUES ('con_01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', 'organization', NULL, 'signal', 'push', 'https://bridge.example/hook', '2026-09', 'active', NULL, NULL, NULL, NULL, NULL, X'7365616C6564', NULL, NULL, 1789689600002, 1789689600002);
CREATE TABLE channel_keys (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	visible_start TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	revoked_at BIGINT, last_used_at BIGINT, 
	CONSTRAINT pk_channel_keys PRIMARY KEY (id), 
	CONSTRAINT fk_channel_keys_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_channel_keys_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO channel_keys (id, organization_id, connection_id, digest, visible_start, created_at, revoked_at, last_used_at) VALUES ('cha_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'digest 1', 'visible_start 1', 1789689600001, 1789689600001, 1789689600001);
INSERT INTO channel_keys (id, organization_id, connection_id, digest, visible_start, created_at, revoked_at, last_used_at) VALUES ('cha_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'digest 2', 'visible_start 2', 1789689600002, NULL, NULL);
CREATE TABLE conversations (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	external_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	title TEXT, 
	evidence TEXT NOT NULL, 
	contact_id TEXT, 
	held_reason TEXT, 
	candidates TEXT, 
	status TEXT NOT NULL, 
	member_id TEXT, 
	team_id TEXT, 
	created_at BIGINT NOT NULL, 
	last_message_at BIGINT NOT NULL, agent_silenced_at BIGINT, agent_silenced_by TEXT, agent_silencer TEXT, agent_reason TEXT, agent_reads_from TEXT, active_at BIGINT DEFAULT '0' NOT NULL, snoozed_until BIGINT, 
	CONSTRAINT pk_conversations PRIMARY KEY (id), 
	CONSTRAINT fk_conversations_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_conversations_contact_id FOREIGN KEY(contact_id) REFERENCES records (id), 
	CONSTRAINT fk_conversations_member_id FOREIGN KEY(member_id) REFERENCES people (id), 
	CONSTRAINT fk_conversations_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_conversations_team_id FOREIGN KEY(team_id) REFERENCES teams (id), 
	CONSTRAINT uq_conversations_connection_id_external_id UNIQUE (connection_id, external_id)
);
INSERT INTO conversations (id, organization_id, connection_id, external_id, kind, title, evidence, contact_id, held_reason, candidates, status, member_id, team_id, created_at, last_message_at, agent_silenced_at, agent_silenced_by, agent_silencer, agent_reason, agent_reads_from, active_at, snoozed_until) VALUES ('con_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'external_id 1', 'direct', 'title 1', '{}', 'rec_01J00000000000000000000001', NULL, '[]', 'open', 'peo_01J00000000000000000000001', 'tea_01J00000000000000000000001', 1789689600001, 1789689600001, 1789689600000, 'handed_over', NULL, 'wants a discount', NULL, 1789689600001, 0);
INSERT INTO conversations (id, organization_id, connection_id, external_id, kind, title, evidence, contact_id, held_reason, candidates, status, member_id, team_id, created_at, last_message_at, agent_silenced_at, agent_silenced_by, agent_silencer, agent_reason, agent_reads_from, active_at, snoozed_until) VALUES ('con_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'external_id 2', 'group', NULL, '{}', NULL, 'similar', NULL, 'closed', 'peo_01J00000000000000000000002', 'tea_01J00000000000000000000002', 1789689600002, 1789689600002, NULL, NULL, NULL, NULL, 'msg_1', 1789689600002, NULL);
CREATE TABLE messages (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	direction TEXT NOT NULL, 
	external_id TEXT, 
	sender TEXT, 
	author_kind TEXT, 
	author_id TEXT, 
	author_name TEXT, 
	text TEXT, 
	attachments TEXT, 
	reply_to TEXT, 
	sent_at BIGINT, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_messages PRIMARY KEY (id), 
	CONSTRAINT fk_messages_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_messages_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_messages_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_messages_connection_id_conversation_id_external_id UNIQUE (connection_id, conversation_id, external_id)
);
INSERT INTO messages (id, organization_id, connection_id, conversation_id, direction, external_id, sender, author_kind, author_id, author_name, text, attachments, reply_to, sent_at, created_at) VALUES ('mes_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'con_01J00000000000000000000001', 'out', 'external_id 1', NULL, 'author_kind 1', 'author_id 1', 'author_name 1', 'text 1', '[]', 'reply_to 1', 1789689600001, 1789689600001);
INSERT INTO messages (id, organization_id, connection_id, conversation_id, direction, external_id, sender, author_kind, author_id, author_name, text, attachments, reply_to, sent_at, created_at) VALUES ('mes_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'con_01J00000000000000000000002', 'out', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1789689600002);
CREATE TABLE replies (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	offer_at BIGINT NOT NULL, 
	attempts INTEGER NOT NULL, 
	lapses INTEGER NOT NULL, 
	push_failures INTEGER NOT NULL, 
	lease_id TEXT, 
	lease_expires_at BIGINT, 
	failure TEXT, 
	error TEXT, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, sent_again_as TEXT, 
	CONSTRAINT pk_replies PRIMARY KEY (id), 
	CONSTRAINT fk_replies_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_replies_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_replies_message_id FOREIGN KEY(message_id) REFERENCES messages (id), 
	CONSTRAINT fk_replies_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_replies_message_id UNIQUE (message_id)
);
INSERT INTO replies (id, organization_id, connection_id, conversation_id, message_id, state, expires_at, offer_at, attempts, lapses, push_failures, lease_id, lease_expires_at, failure, error, created_at, changed_at, sent_again_as) VALUES ('rep_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'con_01J00000000000000000000001', 'mes_01J00000000000000000000001', 'taken', 1789693200000, 1789689600001, 0, 0, 0, 'lease_id 1', 1789689660000, NULL, NULL, 1789689600001, 1789689600001, 'sent_again_as 1');
INSERT INTO replies (id, organization_id, connection_id, conversation_id, message_id, state, expires_at, offer_at, attempts, lapses, push_failures, lease_id, lease_expires_at, failure, error, created_at, changed_at, sent_again_as) VALUES ('rep_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'con_01J00000000000000000000002', 'mes_01J00000000000000000000002', 'taken', 1789693200000, 1789689600002, 1, 0, 1, NULL, NULL, NULL, NULL, 1789689600002, 1789689600002, NULL);
CREATE TABLE deliveries (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	event TEXT NOT NULL, 
	reply_id TEXT, 
	attempts INTEGER NOT NULL, 
	attempted_at BIGINT, 
	status_code INTEGER, 
	error TEXT, 
	created_at BIGINT NOT NULL, 
	done_at BIGINT, milliseconds INTEGER, answer TEXT, 
	CONSTRAINT pk_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_deliveries_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_deliveries_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_deliveries_reply_id FOREIGN KEY(reply_id) REFERENCES replies (id), 
	CONSTRAINT uq_deliveries_reply_id UNIQUE (reply_id)
);
INSERT INTO deliveries (id, organization_id, connection_id, event, reply_id, attempts, attempted_at, status_code, error, created_at, done_at, milliseconds, answer) VALUES ('del_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'ping', NULL, 0, 1789689600001, 500, 'error 1', 1789689600001, 1789689600000, 0, 'answer 1');
INSERT INTO deliveries (id, organization_id, connection_id, event, reply_id, attempts, attempted_at, status_code, error, created_at, done_at, milliseconds, answer) VALUES ('del_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'message.outbound', 'rep_01J00000000000000000000002', 1, NULL, 200, NULL, 1789689600002, 1789689600000, NULL, NULL);
CREATE TABLE "idempotency" (
	caller_id TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	fingerprint BLOB NOT NULL, 
	answer BLOB NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_idempotency PRIMARY KEY (organization_id, caller_id, tool, "key"), 
	CONSTRAINT fk_idempotency_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO idempotency (caller_id, tool, key, organization_id, fingerprint, answer, created_at) VALUES ('caller_id 1', 'tool 1', 'key 1', 'org_01J00000000000000000000001', X'006279746573', X'006279746573', 1789689600001);
INSERT INTO idempotency (caller_id, tool, key, organization_id, fingerprint, answer, created_at) VALUES ('caller_id 2', 'tool 2', 'key 2', 'org_01J00000000000000000000002', X'006279746573', X'006279746573', 1789689600002);
CREATE TABLE clock_marks (
	name TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_clock_marks PRIMARY KEY (name)
);
INSERT INTO clock_marks (name, at) VALUES ('name 1', 1789689600001);
INSERT INTO clock_marks (name, at) VALUES ('name 2', 1789689600002);
CREATE TABLE "people" (
	id TEXT NOT NULL, 
	email TEXT NOT NULL, 
	name TEXT NOT NULL, 
	password_hash TEXT, 
	home_organization_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, email_proven_at BIGINT, 
	CONSTRAINT pk_people PRIMARY KEY (id), 
	CONSTRAINT fk_people_home_organization_id FOREIGN KEY(home_organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_people_home_organization_id_email UNIQUE (home_organization_id, email)
);
INSERT INTO people (id, email, name, password_hash, home_organization_id, created_at, email_proven_at) VALUES ('peo_01J00000000000000000000001', 'ada@example.com', 'name 1', '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA', 'org_01J00000000000000000000001', 1789689600001, 1789689600001);
INSERT INTO people (id, email, name, password_hash, home_organization_id, created_at, email_proven_at) VALUES ('peo_01J00000000000000000000002', 'grace@example.com', 'name 2', NULL, 'org_01J00000000000000000000002', 1789689600002, NULL);
CREATE TABLE event_positions (
	organization_id TEXT NOT NULL, 
	newest BIGINT NOT NULL, pruned BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_event_positions PRIMARY KEY (organization_id), 
	CONSTRAINT fk_event_positions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO event_positions (organization_id, newest, pruned) VALUES ('org_01J00000000000000000000001', 1, 0);
INSERT INTO event_positions (organization_id, newest, pruned) VALUES ('org_01J00000000000000000000002', 1, 0);
CREATE TABLE "events" (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	type TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	data TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	object_type TEXT, 
	depth INTEGER NOT NULL, 
	position BIGINT, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO events (id, organization_id, type, at, data, subject, object_type, depth, position) VALUES ('eve_01J00000000000000000000001', 'org_01J00000000000000000000001', 'message.status', 1789689600001, '{}', 'subject 1', 'object_type 1', 0, 1);
INSERT INTO events (id, organization_id, type, at, data, subject, object_type, depth, position) VALUES ('eve_01J00000000000000000000002', 'org_01J00000000000000000000002', 'message.status', 1789689600002, '{}', 'subject 2', NULL, 1, NULL);
CREATE TABLE webhooks (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT, 
	url TEXT NOT NULL, 
	events TEXT NOT NULL, 
	object_types TEXT NOT NULL, 
	active BOOLEAN NOT NULL, 
	disabled_reason TEXT, 
	failing_since BIGINT, 
	held_until BIGINT, 
	max_per_second INTEGER, 
	contract TEXT NOT NULL, 
	secret BLOB, 
	previous_secret BLOB, 
	previous_secret_until BIGINT, 
	ending TEXT, 
	version INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	removed_at BIGINT, 
	CONSTRAINT pk_webhooks PRIMARY KEY (id), 
	CONSTRAINT fk_webhooks_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO webhooks (id, organization_id, name, url, events, object_types, active, disabled_reason, failing_since, held_until, max_per_second, contract, secret, previous_secret, previous_secret_until, ending, version, created_at, updated_at, removed_at) VALUES ('web_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 'url 1', '["record.created"]', '[]', 0, NULL, 0, 0, 0, 'contract 1', X'7365616C6564', X'006279746573', 0, NULL, 0, 1789689600001, 1789689600001, NULL);
INSERT INTO webhooks (id, organization_id, name, url, events, object_types, active, disabled_reason, failing_since, held_until, max_per_second, contract, secret, previous_secret, previous_secret_until, ending, version, created_at, updated_at, removed_at) VALUES ('web_01J00000000000000000000002', 'org_01J00000000000000000000002', NULL, 'url 2', '[]', '[]', 1, NULL, NULL, NULL, NULL, 'contract 2', X'7365616C6564', NULL, NULL, NULL, 1, 1789689600002, 1789689600002, NULL);
CREATE TABLE webhook_deliveries (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	webhook_id TEXT NOT NULL, 
	event_id TEXT, 
	type TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	place BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	is_first BOOLEAN NOT NULL, 
	next_attempt_at BIGINT, 
	attempts INTEGER NOT NULL, 
	failures INTEGER NOT NULL, 
	replayed BOOLEAN NOT NULL, 
	run_id TEXT, 
	call_key TEXT, 
	body TEXT, 
	created_at BIGINT NOT NULL, 
	done_at BIGINT, 
	CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_deliveries_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_webhook_deliveries_webhook_id FOREIGN KEY(webhook_id) REFERENCES webhooks (id)
);
INSERT INTO webhook_deliveries (id, organization_id, webhook_id, event_id, type, subject, place, state, is_first, next_attempt_at, attempts, failures, replayed, run_id, call_key, body, created_at, done_at) VALUES ('web_01J00000000000000000000001', 'org_01J00000000000000000000001', 'web_01J00000000000000000000001', 'eve_01J00000000000000000000001', 'type 1', 'subject 1', 0, 'delivered', 0, NULL, 0, 0, 0, NULL, NULL, NULL, 1789689600001, 1789689600001);
INSERT INTO webhook_deliveries (id, organization_id, webhook_id, event_id, type, subject, place, state, is_first, next_attempt_at, attempts, failures, replayed, run_id, call_key, body, created_at, done_at) VALUES ('web_01J00000000000000000000002', 'org_01J00000000000000000000002', 'web_01J00000000000000000000002', NULL, 'type 2', 'subject 2', 1, 'waiting', 1, 1789689600000, 1, 1, 0, NULL, NULL, '{}', 1789689600002, NULL);
CREATE TABLE webhook_attempts (
	delivery_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	status_code INTEGER, 
	error TEXT, 
	milliseconds INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	CONSTRAINT pk_webhook_attempts PRIMARY KEY (delivery_id, number), 
	CONSTRAINT fk_webhook_attempts_delivery_id FOREIGN KEY(delivery_id) REFERENCES webhook_deliveries (id)
);
INSERT INTO webhook_attempts (delivery_id, number, at, status_code, error, milliseconds, answer) VALUES ('web_01J00000000000000000000001', 0, 1789689600001, 0, 'error 1', 0, 'answer 1');
INSERT INTO webhook_attempts (delivery_id, number, at, status_code, error, milliseconds, answer) VALUES ('web_01J00000000000000000000002', 1, 1789689600002, NULL, NULL, 1, 'answer 2');
CREATE TABLE workflows (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	event_type TEXT, 
	enabled_at BIGINT, 
	enabler TEXT, 
	next_at BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	deleted_at BIGINT, 
	CONSTRAINT pk_workflows PRIMARY KEY (id), 
	CONSTRAINT fk_workflows_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO workflows (id, organization_id, name, enabled, version, event_type, enabled_at, enabler, next_at, created_at, updated_at, deleted_at) VALUES ('wor_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 1, 1, 'record.created', 1789689600000, '{"personId":"usr_1"}', NULL, 1789689600001, 1789689600001, NULL);
INSERT INTO workflows (id, organization_id, name, enabled, version, event_type, enabled_at, enabler, next_at, created_at, updated_at, deleted_at) VALUES ('wor_01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', 0, 1, NULL, NULL, NULL, NULL, 1789689600002, 1789689600002, NULL);
CREATE TABLE workflow_bursts (
	workflow_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	first_at BIGINT NOT NULL, 
	due_at BIGINT NOT NULL, 
	event TEXT NOT NULL, 
	event_depth INTEGER NOT NULL, 
	CONSTRAINT pk_workflow_bursts PRIMARY KEY (workflow_id, "key"), 
	CONSTRAINT fk_workflow_bursts_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_workflow_bursts_workflow_id FOREIGN KEY(workflow_id) REFERENCES workflows (id)
);
INSERT INTO workflow_bursts (workflow_id, key, organization_id, first_at, due_at, event, event_depth) VALUES ('wor_01J00000000000000000000001', 'key 1', 'org_01J00000000000000000000001', 1789689600001, 1789689600001, '{"id":"evt_1","type":"record.created","timestamp":"2026-09-18T00:00:00.000Z","organizationId":"org_1","data":{}}', 0);
INSERT INTO workflow_bursts (workflow_id, key, organization_id, first_at, due_at, event, event_depth) VALUES ('wor_01J00000000000000000000002', 'key 2', 'org_01J00000000000000000000002', 1789689600002, 1789689600002, '{"id":"evt_1","type":"record.created","timestamp":"2026-09-18T00:00:00.000Z","organizationId":"org_1","data":{}}', 1);
CREATE TABLE workflow_runs (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	workflow_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	started_by TEXT, 
	state TEXT NOT NULL, 
	reason TEXT, 
	depth INTEGER NOT NULL, 
	position TEXT, 
	wake_at BIGINT, 
	awaits TEXT, 
	awaited TEXT, 
	awaited_record TEXT, 
	attempts INTEGER NOT NULL, 
	event TEXT NOT NULL, 
	enabler TEXT NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, record_id TEXT CONSTRAINT fk_workflow_runs_record_id REFERENCES records (id), 
	CONSTRAINT pk_workflow_runs PRIMARY KEY (id), 
	CONSTRAINT fk_workflow_runs_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_workflow_runs_workflow_id FOREIGN KEY(workflow_id) REFERENCES workflows (id)
);
INSERT INTO workflow_runs (id, organization_id, workflow_id, version, started_by, state, reason, depth, position, wake_at, awaits, awaited, awaited_record, attempts, event, enabler, started_at, ended_at, record_id) VALUES ('wor_01J00000000000000000000001', 'org_01J00000000000000000000001', 'wor_01J00000000000000000000001', 1, 'started_by 1', 'waiting', NULL, 1, 'pause', 1789689600000, 'time', NULL, NULL, 0, '{"id":"evt_1","type":"record.created","timestamp":"2026-09-18T00:00:00.000Z","organizationId":"org_1","data":{}}', '{"personId":"usr_1"}', 1789689600001, NULL, 'rec_01J00000000000000000000001');
INSERT INTO workflow_runs (id, organization_id, workflow_id, version, started_by, state, reason, depth, position, wake_at, awaits, awaited, awaited_record, attempts, event, enabler, started_at, ended_at, record_id) VALUES ('wor_01J00000000000000000000002', 'org_01J00000000000000000000002', 'wor_01J00000000000000000000002', 1, NULL, 'done', NULL, 1, NULL, NULL, NULL, NULL, NULL, 1, '{"id":"evt_1","type":"record.created","timestamp":"2026-09-18T00:00:00.000Z","organizationId":"org_1","data":{}}', '{"personId":"usr_1"}', 1789689600002, 1789689600000, 'rec_01J00000000000000000000002');
CREATE TABLE workflow_versions (
	workflow_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	organization_id TEXT NOT NULL, 
	document TEXT NOT NULL, 
	created_at BIGINT NOT NULL, caller_kind TEXT, caller_id TEXT, person_id TEXT CONSTRAINT fk_workflow_versions_person_id REFERENCES people (id), 
	CONSTRAINT pk_workflow_versions PRIMARY KEY (workflow_id, version), 
	CONSTRAINT fk_workflow_versions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_workflow_versions_workflow_id FOREIGN KEY(workflow_id) REFERENCES workflows (id)
);
INSERT INTO workflow_versions (workflow_id, version, organization_id, document, created_at, caller_kind, caller_id, person_id) VALUES ('wor_01J00000000000000000000001', 1, 'org_01J00000000000000000000001', '{"name":"Wait","trigger":{"type":"record.created","objectType":"contact"},"steps":[{"key":"pause","type":"wait","seconds":60}]}', 1789689600001, 'caller_kind 1', 'caller_id 1', 'peo_01J00000000000000000000001');
INSERT INTO workflow_versions (workflow_id, version, organization_id, document, created_at, caller_kind, caller_id, person_id) VALUES ('wor_01J00000000000000000000002', 1, 'org_01J00000000000000000000002', '{"name":"Wait","trigger":{"type":"record.created","objectType":"contact"},"steps":[{"key":"pause","type":"wait","seconds":60}]}', 1789689600002, NULL, NULL, 'peo_01J00000000000000000000002');
CREATE TABLE workflow_steps (
	run_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	type TEXT NOT NULL, 
	state TEXT NOT NULL, 
	input TEXT, 
	output TEXT, 
	error TEXT, 
	attempts INTEGER NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	CONSTRAINT pk_workflow_steps PRIMARY KEY (run_id, "key"), 
	CONSTRAINT fk_workflow_steps_run_id FOREIGN KEY(run_id) REFERENCES workflow_runs (id)
);
INSERT INTO workflow_steps (run_id, key, n, type, state, input, output, error, attempts, started_at, ended_at) VALUES ('wor_01J00000000000000000000001', 'pause', 0, 'wait', 'waiting', '{"seconds":60}', NULL, NULL, 0, 1789689600001, NULL);
INSERT INTO workflow_steps (run_id, key, n, type, state, input, output, error, attempts, started_at, ended_at) VALUES ('wor_01J00000000000000000000002', 'pause', 1, 'wait', 'done', '{"seconds":60}', '{}', NULL, 1, 1789689600002, 1789689600000);
CREATE TABLE ai_calls (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	key_id TEXT NOT NULL, 
	model TEXT NOT NULL, 
	provider TEXT, 
	payer TEXT NOT NULL, 
	streamed BOOLEAN NOT NULL, 
	process TEXT NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	ended TEXT, 
	reserved_micro_credits BIGINT, 
	budgeted_micro_credits BIGINT, 
	estimated BOOLEAN DEFAULT 0 NOT NULL, 
	prompt_tokens BIGINT DEFAULT '0' NOT NULL, 
	cached_tokens BIGINT DEFAULT '0' NOT NULL, 
	completion_tokens BIGINT DEFAULT '0' NOT NULL, 
	cost_micro_credits BIGINT DEFAULT '0' NOT NULL, 
	charged_micro_credits BIGINT DEFAULT '0' NOT NULL, 
	uncovered_micro_credits BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_ai_calls PRIMARY KEY (id), 
	CONSTRAINT fk_ai_calls_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO ai_calls (id, organization_id, key_id, model, provider, payer, streamed, process, started_at, ended_at, ended, reserved_micro_credits, budgeted_micro_credits, estimated, prompt_tokens, cached_tokens, completion_tokens, cost_micro_credits, charged_micro_credits, uncovered_micro_credits) VALUES ('ai__01J00000000000000000000001', 'org_01J00000000000000000000001', 'key_id 1', 'model 1', 'provider 1', 'credits', 0, 'prc_1', 1789689600001, 1789689600000, 'answered', NULL, NULL, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO ai_calls (id, organization_id, key_id, model, provider, payer, streamed, process, started_at, ended_at, ended, reserved_micro_credits, budgeted_micro_credits, estimated, prompt_tokens, cached_tokens, completion_tokens, cost_micro_credits, charged_micro_credits, uncovered_micro_credits) VALUES ('ai__01J00000000000000000000002', 'org_01J00000000000000000000002', 'key_id 2', 'model 2', NULL, 'organization', 1, 'prc_1', 1789689600002, NULL, NULL, NULL, NULL, 1, 1, 1, 1, 1, 0, 1);
CREATE TABLE ai_key_months (
	key_id TEXT NOT NULL, 
	month TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	used_micro_credits BIGINT NOT NULL, 
	reserved_micro_credits BIGINT NOT NULL, 
	CONSTRAINT pk_ai_key_months PRIMARY KEY (key_id, month), 
	CONSTRAINT fk_ai_key_months_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO ai_key_months (key_id, month, organization_id, used_micro_credits, reserved_micro_credits) VALUES ('key_id 1', 'month 1', 'org_01J00000000000000000000001', 0, 0);
INSERT INTO ai_key_months (key_id, month, organization_id, used_micro_credits, reserved_micro_credits) VALUES ('key_id 2', 'month 2', 'org_01J00000000000000000000002', 1, 0);
CREATE TABLE ai_providers (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	base_url TEXT NOT NULL, 
	sealed_key BLOB NOT NULL, 
	key_visible_end TEXT NOT NULL, 
	models TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_ai_providers PRIMARY KEY (id), 
	CONSTRAINT fk_ai_providers_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_ai_providers_organization_id_name UNIQUE (organization_id, name)
);
INSERT INTO ai_providers (id, organization_id, name, base_url, sealed_key, key_visible_end, models, created_at, updated_at) VALUES ('ai__01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 'base_url 1', X'006279746573', 'key_visible_end 1', '[{"id":"small","upstream":"small","prices":null}]', 1789689600001, 1789689600001);
INSERT INTO ai_providers (id, organization_id, name, base_url, sealed_key, key_visible_end, models, created_at, updated_at) VALUES ('ai__01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', 'base_url 2', X'006279746573', 'key_visible_end 2', '[]', 1789689600002, 1789689600002);
CREATE TABLE ai_restrictions (
	organization_id TEXT NOT NULL, 
	models TEXT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_ai_restrictions PRIMARY KEY (organization_id), 
	CONSTRAINT fk_ai_restrictions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO ai_restrictions (organization_id, models, updated_at) VALUES ('org_01J00000000000000000000001', '["small"]', 1789689600001);
INSERT INTO ai_restrictions (organization_id, models, updated_at) VALUES ('org_01J00000000000000000000002', '[]', 1789689600002);
CREATE TABLE ai_ledger (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	amount BIGINT NOT NULL, 
	balance_after BIGINT NOT NULL, 
	call_id TEXT, 
	note TEXT, 
	CONSTRAINT pk_ai_ledger PRIMARY KEY (id), 
	CONSTRAINT ck_ai_ledger_kind CHECK (CASE kind WHEN 'grant' THEN amount > 0 AND call_id IS NULL WHEN 'reserve' THEN amount <= 0 AND call_id IS NOT NULL WHEN 'settle' THEN call_id IS NOT NULL ELSE 0 = 1 END), 
	CONSTRAINT ck_ai_ledger_balance CHECK (balance_after >= 0), 
	CONSTRAINT fk_ai_ledger_call_id FOREIGN KEY(call_id) REFERENCES ai_calls (id), 
	CONSTRAINT fk_ai_ledger_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO ai_ledger (id, organization_id, at, kind, amount, balance_after, call_id, note) VALUES ('ai__01J00000000000000000000001', 'org_01J00000000000000000000001', 1789689600001, 'grant', 5, 5, NULL, 'note 1');
INSERT INTO ai_ledger (id, organization_id, at, kind, amount, balance_after, call_id, note) VALUES ('ai__01J00000000000000000000002', 'org_01J00000000000000000000002', 1789689600002, 'grant', 7, 7, NULL, NULL);
CREATE TRIGGER ai_ledger_in_order BEFORE INSERT ON ai_ledger WHEN EXISTS (SELECT 1 FROM ai_ledger WHERE organization_id = NEW.organization_id AND id >= NEW.id) OR NEW.balance_after <> NEW.amount + coalesce((SELECT balance_after FROM ai_ledger WHERE organization_id = NEW.organization_id ORDER BY id DESC LIMIT 1), 0) BEGIN SELECT RAISE(ABORT, 'the entry does not follow the last one'); END;
CREATE TRIGGER ai_ledger_no_update BEFORE UPDATE ON ai_ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ai_ledger_no_delete BEFORE DELETE ON ai_ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE approvals (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tool TEXT, 
	input TEXT, 
	fingerprint BLOB, 
	reason TEXT NOT NULL, 
	asker_kind TEXT NOT NULL, 
	connection_id TEXT, 
	conversation_id TEXT, 
	workflow_id TEXT, 
	run_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	over_at BIGINT NOT NULL, 
	decided_by TEXT, 
	decided_at BIGINT, 
	answer TEXT, 
	error TEXT, 
	rejection_reason TEXT, 
	uncollected_since BIGINT, 
	CONSTRAINT pk_approvals PRIMARY KEY (id), 
	CONSTRAINT fk_approvals_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_approvals_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_approvals_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO approvals (id, organization_id, state, tool, input, fingerprint, reason, asker_kind, connection_id, conversation_id, workflow_id, run_id, created_at, expires_at, over_at, decided_by, decided_at, answer, error, rejection_reason, uncollected_since) VALUES ('app_01J00000000000000000000001', 'org_01J00000000000000000000001', 'expired', 'tool 1', '{"id":"rec_1"}', X'006279746573', 'reason 1', 'agent', 'con_01J00000000000000000000001', 'con_01J00000000000000000000001', NULL, 'run_id 1', 1789689600001, 1789689600001, 1789689600001, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO approvals (id, organization_id, state, tool, input, fingerprint, reason, asker_kind, connection_id, conversation_id, workflow_id, run_id, created_at, expires_at, over_at, decided_by, decided_at, answer, error, rejection_reason, uncollected_since) VALUES ('app_01J00000000000000000000002', 'org_01J00000000000000000000002', 'expired', NULL, NULL, NULL, 'reason 2', 'workflow', NULL, NULL, 'wfl_1', 'run_id 2', 1789689600002, 1789689600002, 1789689600002, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE agent_days (
	connection_id TEXT NOT NULL, 
	day INTEGER NOT NULL, 
	organization_id TEXT NOT NULL, 
	charged_micro_credits BIGINT NOT NULL, 
	CONSTRAINT pk_agent_days PRIMARY KEY (connection_id, day), 
	CONSTRAINT fk_agent_days_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_agent_days_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO agent_days (connection_id, day, organization_id, charged_micro_credits) VALUES ('con_01J00000000000000000000001', 20714, 'org_01J00000000000000000000001', 0);
INSERT INTO agent_days (connection_id, day, organization_id, charged_micro_credits) VALUES ('con_01J00000000000000000000002', 20714, 'org_01J00000000000000000000002', 1);
CREATE TABLE agents (
	connection_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	instructions TEXT NOT NULL, 
	model TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	tools TEXT, 
	daily_micro_credits BIGINT NOT NULL, 
	set_by TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_agents PRIMARY KEY (connection_id), 
	CONSTRAINT fk_agents_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_agents_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_agents_set_by FOREIGN KEY(set_by) REFERENCES people (id)
);
INSERT INTO agents (connection_id, organization_id, enabled, instructions, model, role_id, tools, daily_micro_credits, set_by, created_at, updated_at) VALUES ('con_01J00000000000000000000001', 'org_01J00000000000000000000001', 1, 'instructions 1', 'model 1', 'viewer', NULL, 0, 'peo_01J00000000000000000000001', 1789689600001, 1789689600001);
INSERT INTO agents (connection_id, organization_id, enabled, instructions, model, role_id, tools, daily_micro_credits, set_by, created_at, updated_at) VALUES ('con_01J00000000000000000000002', 'org_01J00000000000000000000002', 0, 'instructions 2', 'model 2', 'owner', '["record.get"]', 1, 'peo_01J00000000000000000000002', 1789689600002, 1789689600002);
CREATE TABLE agent_runs (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT, 
	first_at BIGINT NOT NULL, 
	wake_at BIGINT, 
	worked_ms BIGINT NOT NULL, 
	charged_micro_credits BIGINT NOT NULL, 
	message_id TEXT, 
	created_at BIGINT NOT NULL, 
	started_at BIGINT, 
	ended_at BIGINT, 
	CONSTRAINT pk_agent_runs PRIMARY KEY (id), 
	CONSTRAINT fk_agent_runs_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_agent_runs_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_agent_runs_message_id FOREIGN KEY(message_id) REFERENCES messages (id), 
	CONSTRAINT fk_agent_runs_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO agent_runs (id, organization_id, connection_id, conversation_id, state, reason, first_at, wake_at, worked_ms, charged_micro_credits, message_id, created_at, started_at, ended_at) VALUES ('age_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'con_01J00000000000000000000001', 'running', NULL, 1789689600001, 1789689600000, 0, 0, NULL, 1789689600001, 1789689600001, NULL);
INSERT INTO agent_runs (id, organization_id, connection_id, conversation_id, state, reason, first_at, wake_at, worked_ms, charged_micro_credits, message_id, created_at, started_at, ended_at) VALUES ('age_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'con_01J00000000000000000000002', 'stopped', 'the agent is off', 1789689600002, NULL, 1, 1, NULL, 1789689600002, NULL, 1789689600000);
CREATE TABLE agent_cards (
	approval_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	run_id TEXT, 
	CONSTRAINT pk_agent_cards PRIMARY KEY (approval_id), 
	CONSTRAINT fk_agent_cards_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_agent_cards_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_agent_cards_run_id FOREIGN KEY(run_id) REFERENCES agent_runs (id)
);
INSERT INTO agent_cards (approval_id, organization_id, conversation_id, run_id) VALUES ('approval_id 1', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'age_01J00000000000000000000001');
INSERT INTO agent_cards (approval_id, organization_id, conversation_id, run_id) VALUES ('approval_id 2', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', NULL);
CREATE TABLE agent_steps (
	run_id TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tool TEXT, 
	call_id TEXT, 
	input TEXT, 
	answer TEXT, 
	charged_micro_credits BIGINT NOT NULL, 
	read_to TEXT, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_agent_steps PRIMARY KEY (run_id, n), 
	CONSTRAINT fk_agent_steps_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_agent_steps_run_id FOREIGN KEY(run_id) REFERENCES agent_runs (id)
);
INSERT INTO agent_steps (run_id, n, organization_id, kind, state, tool, call_id, input, answer, charged_micro_credits, read_to, at) VALUES ('age_01J00000000000000000000001', 0, 'org_01J00000000000000000000001', 'model', 'running', NULL, 'call_id 1', NULL, NULL, 0, 'read_to 1', 1789689600001);
INSERT INTO agent_steps (run_id, n, organization_id, kind, state, tool, call_id, input, answer, charged_micro_credits, read_to, at) VALUES ('age_01J00000000000000000000002', 1, 'org_01J00000000000000000000002', 'tool', 'done', 'record.get', NULL, '{}', '{}', 1, NULL, 1789689600002);
CREATE TABLE views (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	input TEXT NOT NULL, 
	shared BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, board_by TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO views (id, organization_id, person_id, name, tool, input, shared, version, created_at, updated_at, board_by) VALUES ('vie_01J00000000000000000000001', 'org_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'name 1', 'record.list', '{"objectType":"deal"}', 0, 0, 1789689600001, 1789689600001, 'stage');
INSERT INTO views (id, organization_id, person_id, name, tool, input, shared, version, created_at, updated_at, board_by) VALUES ('vie_01J00000000000000000000002', 'org_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'name 2', 'submission.list', '{}', 1, 1, 1789689600002, 1789689600002, NULL);
CREATE TABLE files (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	media_type TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	digest TEXT, 
	created_at BIGINT NOT NULL, 
	creator_kind TEXT NOT NULL, 
	creator_id TEXT NOT NULL, 
	unused_at BIGINT, 
	removed_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO files (id, organization_id, name, media_type, size, digest, created_at, creator_kind, creator_id, unused_at, removed_at) VALUES ('fil_01J00000000000000000000001', 'org_01J00000000000000000000001', 'name 1', 'image/png', 3, 'abababababababababababababababababababababababababababababababab', 1789689600001, 'person', 'creator_id 1', NULL, NULL);
INSERT INTO files (id, organization_id, name, media_type, size, digest, created_at, creator_kind, creator_id, unused_at, removed_at) VALUES ('fil_01J00000000000000000000002', 'org_01J00000000000000000000002', 'name 2', 'text/plain; charset=utf-8', 3, 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', 1789689600002, 'bridge', 'creator_id 2', NULL, NULL);
CREATE TABLE file_uses (
	file_id TEXT NOT NULL, 
	subject_id TEXT NOT NULL, 
	place TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	noun TEXT NOT NULL, 
	PRIMARY KEY (file_id, subject_id, place), 
	FOREIGN KEY(file_id) REFERENCES files (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
)
 WITHOUT ROWID

;
INSERT INTO file_uses (file_id, subject_id, place, organization_id, noun) VALUES ('fil_01J00000000000000000000001', 'subject_id 1', 'place 1', 'org_01J00000000000000000000001', 'record');
INSERT INTO file_uses (file_id, subject_id, place, organization_id, noun) VALUES ('fil_01J00000000000000000000002', 'subject_id 2', 'place 2', 'org_01J00000000000000000000002', 'message');
CREATE TABLE file_totals (
	organization_id TEXT NOT NULL, 
	files BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	PRIMARY KEY (organization_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO file_totals (organization_id, files, bytes) VALUES ('org_01J00000000000000000000001', 1, 3);
INSERT INTO file_totals (organization_id, files, bytes) VALUES ('org_01J00000000000000000000002', 1, 3);
CREATE TABLE imports (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	object_type TEXT NOT NULL, 
	name TEXT NOT NULL, 
	format TEXT NOT NULL, 
	fingerprint TEXT, 
	state TEXT NOT NULL, 
	bytes BIGINT NOT NULL, 
	next_part INTEGER NOT NULL, 
	layout TEXT, 
	settings TEXT, 
	starter TEXT, 
	source TEXT, 
	run INTEGER NOT NULL, 
	at_byte BIGINT NOT NULL, 
	at_line BIGINT NOT NULL, 
	in_long_line BOOLEAN NOT NULL, 
	counts TEXT NOT NULL, 
	refusals TEXT NOT NULL, 
	failure TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	ended_at BIGINT, faults TEXT, undo TEXT, undo_state TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO imports (id, organization_id, object_type, name, format, fingerprint, state, bytes, next_part, layout, settings, starter, source, run, at_byte, at_line, in_long_line, counts, refusals, failure, created_at, updated_at, ended_at, faults, undo, undo_state) VALUES ('imp_01J00000000000000000000001', 'org_01J00000000000000000000001', 'contact', 'name 1', 'csv', 'fingerprint 1', 'done', 0, 0, '{}', '{}', '{"kind":"operator","id":"operator","personId":null}', '{}', 0, 0, 0, 0, '{}', '[]', 'failure 1', 1789689600001, 1789689600001, 1789689600000, '[]', '{"number":1,"dryRun":false,"state":"done","starter":{"kind":"operator","id":"operator","personId":null},"source":{},"counts":{"deleted":1},"startedAt":1789689600000,"endedAt":1789689600000}', 'done');
INSERT INTO imports (id, organization_id, object_type, name, format, fingerprint, state, bytes, next_part, layout, settings, starter, source, run, at_byte, at_line, in_long_line, counts, refusals, failure, created_at, updated_at, ended_at, faults, undo, undo_state) VALUES ('imp_01J00000000000000000000002', 'org_01J00000000000000000000002', 'contact', 'name 2', 'ndjson', NULL, 'uploading', 1, 1, NULL, NULL, NULL, NULL, 1, 1, 1, 1, '{}', '[]', NULL, 1789689600002, 1789689600002, NULL, NULL, NULL, NULL);
CREATE TABLE import_parts (
	import_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	digest BLOB NOT NULL, 
	PRIMARY KEY (import_id, number), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
);
INSERT INTO import_parts (import_id, number, digest) VALUES ('imp_01J00000000000000000000001', 0, X'006279746573');
INSERT INTO import_parts (import_id, number, digest) VALUES ('imp_01J00000000000000000000002', 1, X'006279746573');
CREATE TABLE import_chunks (
	import_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	PRIMARY KEY (import_id, number), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
);
INSERT INTO import_chunks (import_id, number, data) VALUES ('imp_01J00000000000000000000001', 0, X'006279746573');
INSERT INTO import_chunks (import_id, number, data) VALUES ('imp_01J00000000000000000000002', 1, X'006279746573');
CREATE TABLE import_outputs (
	import_id TEXT NOT NULL, 
	run INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	at_byte BIGINT NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (import_id, run, kind, at_byte), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
);
INSERT INTO import_outputs (import_id, run, kind, at_byte, text) VALUES ('imp_01J00000000000000000000001', 0, 'kind 1', 0, 'text 1');
INSERT INTO import_outputs (import_id, run, kind, at_byte, text) VALUES ('imp_01J00000000000000000000002', 1, 'kind 2', 1, 'text 2');
CREATE TABLE import_keys (
	import_id TEXT NOT NULL, 
	run INTEGER NOT NULL, 
	digest BLOB NOT NULL, 
	line BIGINT NOT NULL, 
	PRIMARY KEY (import_id, run, digest), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
)
 WITHOUT ROWID

;
INSERT INTO import_keys (import_id, run, digest, line) VALUES ('imp_01J00000000000000000000001', 0, X'006279746573', 0);
INSERT INTO import_keys (import_id, run, digest, line) VALUES ('imp_01J00000000000000000000002', 1, X'006279746573', 1);
CREATE TABLE mails (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	cause TEXT NOT NULL, 
	is_notice BOOLEAN NOT NULL, 
	person_id TEXT, 
	address TEXT, 
	data TEXT, 
	token BLOB, 
	state TEXT NOT NULL, 
	failures INTEGER NOT NULL, 
	next_attempt_at BIGINT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	done_at BIGINT, 
	reason TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO mails (id, organization_id, kind, cause, is_notice, person_id, address, data, token, state, failures, next_attempt_at, created_at, expires_at, done_at, reason) VALUES ('mai_01J00000000000000000000001', 'org_01J00000000000000000000001', 'submission.filed', 'cause 1', 1, 'peo_01J00000000000000000000001', NULL, '{"id":"sub_1"}', NULL, 'waiting', 0, 1789689600000, 1789689600001, 1789689600001, NULL, 'reason 1');
INSERT INTO mails (id, organization_id, kind, cause, is_notice, person_id, address, data, token, state, failures, next_attempt_at, created_at, expires_at, done_at, reason) VALUES ('mai_01J00000000000000000000002', 'org_01J00000000000000000000002', 'invitation', 'cause 2', 0, NULL, NULL, NULL, NULL, 'sent', 1, NULL, 1789689600002, 1789689600002, 1789689600000, NULL);
CREATE TABLE notice_choices (
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	PRIMARY KEY (organization_id, kind, person_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO notice_choices (organization_id, kind, person_id) VALUES ('org_01J00000000000000000000001', 'submission.filed', 'peo_01J00000000000000000000001');
INSERT INTO notice_choices (organization_id, kind, person_id) VALUES ('org_01J00000000000000000000002', 'webhook.disabled', 'peo_01J00000000000000000000002');
CREATE TABLE mailed_links (
	digest TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, email TEXT, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO mailed_links (digest, person_id, purpose, created_at, expires_at, email) VALUES ('digest 1', 'peo_01J00000000000000000000001', 'reset', 1789689600001, 1789689600001, 'email 1');
INSERT INTO mailed_links (digest, person_id, purpose, created_at, expires_at, email) VALUES ('digest 2', 'peo_01J00000000000000000000002', 'proof', 1789689600002, 1789689600002, NULL);
CREATE TABLE asked_resets (
	id TEXT NOT NULL, 
	email TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO asked_resets (id, email, at) VALUES ('ask_01J00000000000000000000001', 'email 1', 1789689600001);
INSERT INTO asked_resets (id, email, at) VALUES ('ask_01J00000000000000000000002', 'email 2', 1789689600002);
CREATE TABLE submission_blocks (
	organization_id TEXT NOT NULL, 
	first_id TEXT NOT NULL, 
	end_id TEXT NOT NULL, 
	texts BLOB NOT NULL, 
	ids BLOB NOT NULL, 
	PRIMARY KEY (organization_id, first_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
)
 WITHOUT ROWID

;
INSERT INTO submission_blocks (organization_id, first_id, end_id, texts, ids) VALUES ('org_01J00000000000000000000001', 'sub_01J00000000000000000000001', 'sub_~', X'656D61696C20310A70686F6E6520310A6E616D652031', X'7375625F30314A3030303030303030303030303030303030303030303031');
INSERT INTO submission_blocks (organization_id, first_id, end_id, texts, ids) VALUES ('org_01J00000000000000000000002', 'sub_01J00000000000000000000002', 'sub_~', X'', X'7375625F30314A3030303030303030303030303030303030303030303032');
CREATE TABLE import_records (
	import_id TEXT NOT NULL, 
	is_new BOOLEAN NOT NULL, 
	record_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	left_in INTEGER NOT NULL, 
	PRIMARY KEY (import_id, is_new, record_id), 
	FOREIGN KEY(import_id) REFERENCES imports (id), 
	FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;
INSERT INTO import_records (import_id, is_new, record_id, version, left_in) VALUES ('imp_01J00000000000000000000001', 0, 'rec_01J00000000000000000000001', 0, 0);
INSERT INTO import_records (import_id, is_new, record_id, version, left_in) VALUES ('imp_01J00000000000000000000002', 1, 'rec_01J00000000000000000000002', 1, 1);
CREATE TABLE duplicate_keys (
	object_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	PRIMARY KEY (object_id, kind, value, record_id), 
	FOREIGN KEY(object_id) REFERENCES objects (id), 
	FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;
INSERT INTO duplicate_keys (object_id, kind, value, record_id) VALUES ('obj_01J00000000000000000000001', 'kind 1', 'value 1', 'rec_01J00000000000000000000001');
INSERT INTO duplicate_keys (object_id, kind, value, record_id) VALUES ('obj_01J00000000000000000000002', 'kind 2', 'value 2', 'rec_01J00000000000000000000002');
CREATE TABLE distinct_records (
	record_id TEXT NOT NULL, 
	other_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (record_id, other_id), 
	FOREIGN KEY(record_id) REFERENCES records (id), 
	FOREIGN KEY(other_id) REFERENCES records (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
)
 WITHOUT ROWID

;
INSERT INTO distinct_records (record_id, other_id, organization_id, person_id, at) VALUES ('rec_01J00000000000000000000001', 'rec_01J00000000000000000000001', 'org_01J00000000000000000000001', 'peo_01J00000000000000000000001', 1789689600001);
INSERT INTO distinct_records (record_id, other_id, organization_id, person_id, at) VALUES ('rec_01J00000000000000000000002', 'rec_01J00000000000000000000002', 'org_01J00000000000000000000002', 'peo_01J00000000000000000000002', 1789689600002);
CREATE TABLE exports (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	source TEXT NOT NULL, 
	object_type TEXT, 
	format TEXT NOT NULL, 
	"query" TEXT NOT NULL, 
	starter TEXT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	rows BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	digest TEXT, 
	failure TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);
INSERT INTO exports (id, organization_id, source, object_type, format, query, starter, state, attempts, rows, bytes, digest, failure, created_at, updated_at, ended_at) VALUES ('exp_01J00000000000000000000001', 'org_01J00000000000000000000001', 'records', 'contact', 'csv', '{}', '{"kind":"operator","id":"operator","personId":null}', 'done', 0, 0, 0, 'digest 1', 'failure 1', 1789689600001, 1789689600001, 1789689600000);
INSERT INTO exports (id, organization_id, source, object_type, format, query, starter, state, attempts, rows, bytes, digest, failure, created_at, updated_at, ended_at) VALUES ('exp_01J00000000000000000000002', 'org_01J00000000000000000000002', 'audit', NULL, 'ndjson', '{}', '{"kind":"operator","id":"operator","personId":null}', 'waiting', 1, 1, 1, NULL, NULL, 1789689600002, 1789689600002, NULL);
CREATE TABLE conversation_reads (
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	read_to TEXT NOT NULL, 
	mentioned_in TEXT, 
	PRIMARY KEY (conversation_id, person_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
)
 WITHOUT ROWID

;
INSERT INTO conversation_reads (organization_id, conversation_id, person_id, read_to, mentioned_in) VALUES ('org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'read_to 1', 'mentioned_in 1');
INSERT INTO conversation_reads (organization_id, conversation_id, person_id, read_to, mentioned_in) VALUES ('org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'read_to 2', NULL);
CREATE TABLE conversation_drafts (
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	text TEXT NOT NULL, 
	saved_at BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id, person_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO conversation_drafts (organization_id, conversation_id, person_id, text, saved_at) VALUES ('org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'text 1', 1789689600001);
INSERT INTO conversation_drafts (organization_id, conversation_id, person_id, text, saved_at) VALUES ('org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'text 2', 1789689600002);
CREATE TABLE conversation_notes (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	author_kind TEXT NOT NULL, 
	author_id TEXT, 
	author_name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	mentions TEXT, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id)
);
INSERT INTO conversation_notes (id, organization_id, conversation_id, author_kind, author_id, author_name, text, mentions, created_at) VALUES ('con_01J00000000000000000000001', 'org_01J00000000000000000000001', 'con_01J00000000000000000000001', 'author_kind 1', 'author_id 1', 'author_name 1', 'text 1', '["usr_1"]', 1789689600001);
INSERT INTO conversation_notes (id, organization_id, conversation_id, author_kind, author_id, author_name, text, mentions, created_at) VALUES ('con_01J00000000000000000000002', 'org_01J00000000000000000000002', 'con_01J00000000000000000000002', 'author_kind 2', NULL, 'author_name 2', 'text 2', NULL, 1789689600002);
CREATE TABLE reply_templates (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	shared BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);
INSERT INTO reply_templates (id, organization_id, person_id, name, text, shared, version, created_at, updated_at) VALUES ('rep_01J00000000000000000000001', 'org_01J00000000000000000000001', 'peo_01J00000000000000000000001', 'name 1', 'text 1', 0, 0, 1789689600001, 1789689600001);
INSERT INTO reply_templates (id, organization_id, person_id, name, text, shared, version, created_at, updated_at) VALUES ('rep_01J00000000000000000000002', 'org_01J00000000000000000000002', 'peo_01J00000000000000000000002', 'name 2', 'text 2', 1, 1, 1789689600002, 1789689600002);
CREATE TABLE requests (
	organization_id TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	request_id TEXT NOT NULL, 
	door TEXT NOT NULL, 
	caller_kind TEXT NOT NULL, 
	caller_id TEXT NOT NULL, 
	tool TEXT, 
	status INTEGER NOT NULL, 
	code TEXT, 
	milliseconds INTEGER NOT NULL, 
	bytes_in BIGINT NOT NULL, 
	bytes_out BIGINT NOT NULL, 
	replayed BOOLEAN NOT NULL, 
	failed_in TEXT, 
	PRIMARY KEY (organization_id, number), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
)
 WITHOUT ROWID

;
INSERT INTO requests (organization_id, number, at, request_id, door, caller_kind, caller_id, tool, status, code, milliseconds, bytes_in, bytes_out, replayed, failed_in) VALUES ('org_01J00000000000000000000001', 0, 1789689600001, 'request_id 1', 'tools', 'key', 'caller_id 1', 'tool 1', 200, NULL, 0, 0, 0, 0, NULL);
INSERT INTO requests (organization_id, number, at, request_id, door, caller_kind, caller_id, tool, status, code, milliseconds, bytes_in, bytes_out, replayed, failed_in) VALUES ('org_01J00000000000000000000002', 1, 1789689600002, 'request_id 2', 'channels', 'channel_key', 'caller_id 2', NULL, 404, 'not_found', 1, 1, 1, 1, 'org_01J00000000000000000000002');
CREATE INDEX ix_server_keys_organization_id ON server_keys (organization_id);
CREATE INDEX ix_sites_domain ON sites (domain);
CREATE INDEX ix_sites_organization_id ON sites (organization_id);
CREATE INDEX ix_forms_organization_id ON forms (organization_id);
CREATE INDEX ix_identities_record_id ON identities (record_id);
CREATE UNIQUE INDEX pk_identities ON identities (organization_id, kind, value, record_id);
CREATE INDEX ix_submissions_due ON submissions (organization_id, state, id) WHERE state = 'due';
CREATE INDEX ix_submissions_form_id_id ON submissions (form_id, id);
CREATE INDEX ix_submissions_queued ON submissions (form_id, state, id) WHERE state = 'queued';
CREATE INDEX ix_visits_organization_id_visitor ON visits (organization_id, visitor);
CREATE INDEX ix_visits_record_id ON visits (record_id) WHERE record_id IS NOT NULL;
CREATE INDEX ix_notes_record_id_id ON notes (record_id, id);
CREATE INDEX ix_suggestions_record_id_state ON suggestions (record_id, state);
CREATE INDEX ix_record_changes_record_id_id ON record_changes (record_id, id);
CREATE INDEX ix_record_keys_key ON record_keys (property_id, "key", record_id);
CREATE INDEX ix_relations_record_id ON relations (record_id);
CREATE INDEX ix_unique_values_record_id ON unique_values (record_id);
CREATE INDEX ix_records_created_at ON records (object_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_records_merged_into ON records (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX ix_records_updated_at ON records (object_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX ix_submissions_contact_id ON submissions (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX ix_sign_in_failures_at ON sign_in_failures (at);
CREATE INDEX ix_api_keys_live ON api_keys (digest, expires_at, organization_id) WHERE revoked_at IS NULL;
CREATE INDEX ix_api_keys_organization_id_id ON api_keys (organization_id, id);
CREATE INDEX ix_audit_organization_id_id ON audit (organization_id, id);
CREATE INDEX ix_audit_organization_id_person_id_id ON audit (organization_id, person_id, id);
CREATE INDEX ix_invitations_organization_id_email ON invitations (organization_id, email);
CREATE INDEX ix_members_person_id ON members (person_id);
CREATE INDEX ix_sessions_person_id ON sessions (person_id);
CREATE INDEX ix_team_members_organization_id_person_id ON team_members (organization_id, person_id);
CREATE INDEX ix_submissions_held ON submissions (form_id, state, id) WHERE state = 'held';
CREATE INDEX ix_properties_building ON properties (organization_id) WHERE index_state = 'building';
CREATE INDEX ix_suggestions_organization_id_state_id ON suggestions (organization_id, state, id);
CREATE INDEX ix_embeds_organization_id_id ON embeds (organization_id, id);
CREATE INDEX ix_connections_organization_id_id ON connections (organization_id, id);
CREATE INDEX ix_channel_keys_connection_id_id ON channel_keys (connection_id, id);
CREATE INDEX ix_channel_keys_live ON channel_keys (digest, connection_id, organization_id) WHERE revoked_at IS NULL;
CREATE INDEX ix_conversations_contact_id ON conversations (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX ix_messages_conversation_id_id ON messages (conversation_id, id);
CREATE INDEX ix_deliveries_connection_id_id ON deliveries (connection_id, id);
CREATE INDEX ix_deliveries_due ON deliveries (connection_id) WHERE done_at IS NULL AND reply_id IS NULL;
CREATE INDEX ix_idempotency_created_at ON idempotency (created_at);
CREATE INDEX ix_replies_ahead ON replies (conversation_id, id) WHERE state = 'waiting' OR lease_expires_at IS NOT NULL;
CREATE INDEX ix_replies_open ON replies (connection_id, id) WHERE state = 'waiting' OR lease_expires_at IS NOT NULL;
CREATE INDEX ix_people_email ON people (email);
CREATE INDEX ix_events_undispatched ON events (organization_id, id) WHERE position IS NULL;
CREATE UNIQUE INDEX ix_events_position ON events (organization_id, position) WHERE position IS NOT NULL;
CREATE INDEX ix_events_dispatched_at ON events (at) WHERE position IS NOT NULL;
CREATE INDEX ix_record_changes_record_id_version ON record_changes (record_id, version);
CREATE INDEX ix_webhooks_ending ON webhooks (id) WHERE ending IS NOT NULL;
CREATE INDEX ix_webhooks_organization_id_id ON webhooks (organization_id, id) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX ix_webhook_deliveries_call ON webhook_deliveries (run_id, call_key) WHERE run_id IS NOT NULL;
CREATE INDEX ix_webhook_deliveries_done_at ON webhook_deliveries (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, replayed, next_attempt_at, id) WHERE state = 'waiting' AND is_first;
CREATE UNIQUE INDEX ix_webhook_deliveries_event ON webhook_deliveries (event_id, webhook_id) WHERE event_id IS NOT NULL;
CREATE INDEX ix_webhook_deliveries_replayed ON webhook_deliveries (webhook_id, subject) WHERE state = 'waiting' AND replayed;
CREATE INDEX ix_webhook_deliveries_waiting ON webhook_deliveries (webhook_id, subject, place, id) WHERE state = 'waiting';
CREATE INDEX ix_webhook_deliveries_webhook_id_id ON webhook_deliveries (webhook_id, id);
CREATE INDEX ix_workflows_event_type ON workflows (organization_id, event_type) WHERE enabled AND event_type IS NOT NULL;
CREATE INDEX ix_workflows_next_at ON workflows (organization_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX ix_workflows_organization_id_id ON workflows (organization_id, id);
CREATE INDEX ix_workflow_bursts_due_at ON workflow_bursts (organization_id, due_at);
CREATE INDEX ix_workflow_runs_awaited ON workflow_runs (organization_id, awaited, awaited_record) WHERE awaited IS NOT NULL;
CREATE INDEX ix_workflow_runs_ended_at ON workflow_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ix_workflow_runs_organization_id_id ON workflow_runs (organization_id, id);
CREATE INDEX ix_workflow_runs_organization_id_state_id ON workflow_runs (organization_id, state, id);
CREATE UNIQUE INDEX ix_workflow_runs_started_by ON workflow_runs (workflow_id, started_by);
CREATE INDEX ix_workflow_runs_wake_at ON workflow_runs (organization_id, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX ix_workflow_runs_workflow_id_id ON workflow_runs (workflow_id, id);
CREATE INDEX ix_workflow_runs_workflow_id_version ON workflow_runs (workflow_id, version);
CREATE INDEX ix_ai_calls_open ON ai_calls (organization_id, id) WHERE ended_at IS NULL;
CREATE INDEX ix_ai_calls_organization_id_started_at ON ai_calls (organization_id, started_at);
CREATE INDEX ix_ai_ledger_organization_id_id ON ai_ledger (organization_id, id);
CREATE UNIQUE INDEX ix_ai_ledger_reserve ON ai_ledger (call_id) WHERE kind = 'reserve';
CREATE UNIQUE INDEX ix_ai_ledger_settle ON ai_ledger (call_id) WHERE kind = 'settle';
CREATE INDEX ix_approvals_organization_id_id ON approvals (organization_id, id);
CREATE INDEX ix_approvals_organization_id_state_id ON approvals (organization_id, state, id);
CREATE INDEX ix_approvals_waiting ON approvals (organization_id, asker_kind, over_at) WHERE state = 'waiting';
CREATE INDEX ix_approvals_conversation_id ON approvals (conversation_id) WHERE state = 'waiting';
CREATE INDEX ix_approvals_run_id ON approvals (run_id);
CREATE INDEX ix_approvals_over_at ON approvals (over_at);
CREATE INDEX ix_approvals_uncollected ON approvals (asker_kind, organization_id, uncollected_since) WHERE uncollected_since IS NOT NULL;
CREATE INDEX ix_agent_runs_conversation_id_id ON agent_runs (conversation_id, id);
CREATE INDEX ix_agent_runs_ended_at ON agent_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ix_agent_runs_message_id ON agent_runs (message_id) WHERE message_id IS NOT NULL;
CREATE UNIQUE INDEX ix_agent_runs_open ON agent_runs (conversation_id) WHERE ended_at IS NULL;
CREATE INDEX ix_agent_runs_organization_id_id ON agent_runs (organization_id, id);
CREATE INDEX ix_agent_runs_wake_at ON agent_runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX ix_agent_cards_conversation_id ON agent_cards (conversation_id) WHERE run_id IS NULL;
CREATE INDEX ix_agent_cards_run_id ON agent_cards (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ix_views_organization_id ON views (organization_id);
CREATE INDEX ix_files_organization_id_id ON files (organization_id, id) WHERE removed_at IS NULL;
CREATE INDEX ix_files_content ON files (organization_id, digest) WHERE digest IS NOT NULL;
CREATE INDEX ix_files_unused ON files (unused_at) WHERE unused_at IS NOT NULL;
CREATE INDEX ix_files_removed ON files (id) WHERE removed_at IS NOT NULL AND digest IS NOT NULL;
CREATE INDEX ix_file_uses_subject_id ON file_uses (subject_id);
CREATE INDEX ix_imports_organization_id ON imports (organization_id, id);
CREATE UNIQUE INDEX ix_imports_open ON imports (organization_id) WHERE ended_at IS NULL;
CREATE INDEX ix_imports_ended_at ON imports (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ix_imports_running ON imports (organization_id) WHERE state = 'running';
CREATE UNIQUE INDEX ix_mails_cause ON mails (cause);
CREATE INDEX ix_mails_waiting ON mails (organization_id, is_notice, next_attempt_at, id) WHERE state = 'waiting';
CREATE INDEX ix_mails_due ON mails (next_attempt_at, organization_id) WHERE state = 'waiting';
CREATE INDEX ix_mails_sent ON mails (organization_id, is_notice, done_at) WHERE state = 'sent';
CREATE INDEX ix_mails_done_at ON mails (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX ix_mailed_links_person_id ON mailed_links (person_id);
CREATE UNIQUE INDEX ix_invitations_mailed_digest ON invitations (mailed_digest);
CREATE INDEX ix_api_keys_expires_at ON api_keys (expires_at) WHERE revoked_at IS NULL;
CREATE INDEX ix_ai_ledger_grants ON ai_ledger (organization_id, id) WHERE kind = 'grant';
CREATE INDEX ix_submissions_discarded ON submissions (form_id, state, id) WHERE state = 'discarded';
CREATE INDEX ix_submissions_discarded_at ON submissions (discarded_at) WHERE discarded_at IS NOT NULL;
CREATE INDEX ix_submissions_restored ON submissions (form_id, paced_at) WHERE restored_at IS NOT NULL;
CREATE INDEX ix_imports_undo_running ON imports (organization_id) WHERE undo_state = 'running';
CREATE INDEX ix_workflow_runs_record_id ON workflow_runs (record_id) WHERE record_id IS NOT NULL;
CREATE INDEX ix_objects_building ON objects (organization_id) WHERE duplicates_state = 'building';
CREATE INDEX ix_duplicate_keys_record_id ON duplicate_keys (record_id);
CREATE INDEX ix_distinct_records_other_id ON distinct_records (other_id);
CREATE INDEX ix_exports_organization_id ON exports (organization_id, id);
CREATE INDEX ix_exports_open ON exports (organization_id, id) WHERE ended_at IS NULL;
CREATE INDEX ix_exports_ended_at ON exports (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ix_audit_organization_id_action ON audit (organization_id, action);
CREATE INDEX ix_conversation_drafts_saved_at ON conversation_drafts (saved_at);
CREATE INDEX ix_conversation_notes_conversation_id_id ON conversation_notes (conversation_id, id);
CREATE INDEX ix_reply_templates_organization_id ON reply_templates (organization_id);
CREATE INDEX ix_conversations_organization_id_active_at_id ON conversations (organization_id, active_at, id);
CREATE INDEX ix_conversations_organization_id_status_active_at_id ON conversations (organization_id, status, active_at, id);
CREATE INDEX ix_conversations_of_members ON conversations (organization_id, status, member_id, active_at, id);
CREATE INDEX ix_conversations_held ON conversations (organization_id, active_at, id) WHERE held_reason IS NOT NULL;
CREATE INDEX ix_conversations_snoozed ON conversations (organization_id, snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX ix_requests_caller ON requests (caller_id, number);
CREATE INDEX ix_requests_failed ON requests (failed_in, number) WHERE failed_in IS NOT NULL;
