drop function if exists forget_emails(interval, int);
drop index if exists payment_requests_emails;
