#!/bin/sh
# Runs once, when the database is made: the operator, who owns it, and the application, which may only use it.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -v operator="$OPERATOR_PASSWORD" -v application="$APPLICATION_PASSWORD" <<'SQL'
CREATE ROLE operator LOGIN CREATEROLE PASSWORD :'operator';
CREATE ROLE holdfast_app NOLOGIN;
GRANT holdfast_app TO operator WITH ADMIN TRUE, INHERIT FALSE;
CREATE ROLE hub LOGIN PASSWORD :'application';
GRANT holdfast_app TO hub;
CREATE DATABASE holdfast OWNER operator;
\c holdfast
CREATE EXTENSION vector;
SQL
