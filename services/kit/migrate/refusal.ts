/** A permanent reason why the database cannot be migrated, in one sentence with what to do. */
export class MigrationRefused extends Error {}
