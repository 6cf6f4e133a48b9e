import { Kind, type TSchema } from '@sinclair/typebox'
import * as categories from './http/catalog/categories.ts'
import * as criticalities from './http/catalog/criticalities.ts'
import * as materials from './http/catalog/materials.ts'
import * as processes from './http/catalog/processes.ts'
import * as standards from './http/catalog/standards.ts'
import * as technologies from './http/catalog/technologies.ts'
import * as unspscCategories from './http/catalog/unspsc-categories.ts'
import * as accounts from './http/identity/accounts.ts'
import * as impersonation from './http/identity/impersonation.ts'
import * as pages from './http/identity/pages.ts'
import * as tokens from './http/identity/tokens.ts'
import type { AnyOperation } from './http/operation.ts'
import * as auditLog from './http/organization/audit-log.ts'
import * as businessUnits from './http/organization/business-units.ts'
import * as customFields from './http/organization/custom-fields.ts'
import * as orgs from './http/organization/orgs.ts'
import * as roles from './http/organization/roles.ts'
import * as users from './http/organization/users.ts'
import * as files from './http/sourcing/files.ts'
import * as history from './http/sourcing/history.ts'
import * as imports from './http/sourcing/imports.ts'
import * as partLifecycle from './http/sourcing/part-lifecycle.ts'
import * as parts from './http/sourcing/parts.ts'
import * as uploads from './http/sourcing/uploads.ts'
import type { Owner } from './paths.ts'

const MODULES: Record<string, unknown>[] = [
  categories,
  criticalities,
  materials,
  processes,
  standards,
  technologies,
  unspscCategories,
  tokens,
  accounts,
  impersonation,
  pages,
  parts,
  history,
  auditLog,
  orgs,
  roles,
  users,
  businessUnits,
  customFields,
  files,
  imports,
  uploads,
]

const isSchema = (value: unknown): value is TSchema => value !== null && typeof value === 'object' && Kind in value

/** The shapes that the contract gives a name: the components of the OpenAPI document. */
export const SHAPES: ReadonlyMap<string, TSchema> = new Map(
  MODULES.flatMap((module) => Object.entries(module).filter((entry): entry is [string, TSchema] => isSchema(entry[1]))),
)

const operationsIn = (...modules: Record<string, unknown>[]): AnyOperation[] =>
  modules.flatMap((module) => Object.values(module).filter(isOperation))

const isOperation = (value: unknown): value is AnyOperation =>
  value !== null && typeof value === 'object' && 'method' in value && 'path' in value && 'access' in value

/** Every operation there is, by the service that answers it: what the OpenAPI documents and the tests walk. */
export const OPERATIONS: Record<Owner, readonly AnyOperation[]> = {
  identity: operationsIn(tokens, accounts, impersonation, pages),
  catalog: operationsIn(categories, criticalities, materials, processes, standards, technologies, unspscCategories),
  organization: operationsIn(auditLog, orgs, roles, users, businessUnits, customFields),
  sourcing: operationsIn(parts, partLifecycle, files, uploads, imports),
  webhooks: [],
}
