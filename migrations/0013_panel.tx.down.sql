drop index if exists audit_of_people, audit_of_merchant, audit_person_login;
drop table if exists person_tries, person_sessions, invitations, members, people;
