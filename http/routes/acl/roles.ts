// ACL roles (spec: acl.md §5).
import { refusedWith } from '../../wire/response.js'
import { invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { requireUuid } from '../../../actors/uuid.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC, roleDefinition } from '../../../events/role.js'
import type { RoleRow } from '../../../projections/acl/roles.js'
import { filterFieldsOf } from '../../../events/definition/forms/forms.js'
import type { Views } from '../../../projections/read-models.js'
import { requireSame } from '../crud.js'
import { aclCrudRoutes } from './acl-crud.js'
import { globalAclFacts, readAclList, readAclOne } from './acl-reads.js'
import { aclListHistory, historyByName, roleLinks, roleKeyOf } from './acl-history.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { filterOf } from '../../wire/reads/filter.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import { type RequestContext, writtenAcl } from '../../wire/request-context.js'
import { route, type Route, inputsOf } from '../../wire/route.js'
import { responseSchema } from '../../schemas/definition-schemas.js'

const facts = globalAclFacts('ACL roles')
const inputOf = inputsOf(roleDefinition)
const FILTER_FIELDS = filterFieldsOf(roleDefinition.fields)

const written = (request: RequestContext, id: string) => () => {
  const { views } = request
  return writtenAcl(request, views.roles.get(id), row => row.json(views))
}

const readOne = (request: RequestContext, named: string, find: (views: Views) => RoleRow | undefined) =>
  respondToRead(request, () => {
    const { views } = request
    return readAclOne(request, find(views), {
      source: views.roles,
      watch: 'roles',
      watchOf: row => `role/${row.role.ID}`,
      text: row => row.json(views),
      missing: refusedWith('acl.role.missing', `No ACL role with ${named} exists`)
    })
  })

/** Returns the roles that link to the policy of the query, in no order; undefined without one. @throws Refusal `invalid` */
const linkedRoles = ({ query, views }: RequestContext): readonly RoleRow[] | undefined => {
  const policy = query.filled('policy')
  if (policy === undefined) return undefined
  requireUuid('acl.role.invalid', 'policy', policy)
  // Links to a deleted policy have no effect, though a role may still hold its ID.
  return views.policies.get(policy) ? views.roles.linkedTo(policy) : []
}

export const roleRoutes: readonly Route[] = [
  ...aclCrudRoutes({
    shape: roleDefinition,
    topic: ROLE_TOPIC,
    noun: 'role',
    plural: 'Roles',
    paths: ['/v1/acl/role', '/v1/acl/roles'],
    facts,
    checkId: ({ ID }, id) => requireSame(roleDefinition, 'ID', ID, id),
    create: (request, body, newId) => request.command('CreateRole', { ...inputOf(body), newId }),
    update: (request, body, id) => request.command('UpdateRole', { ...inputOf(body), id }),
    remove: (request, id) => request.command('DeleteRole', { id }),
    written,
    read: {
      summary: 'Read a role by ID',
      past: historyOfResource(
        request => roleKeyOf(request, request.param('id')),
        (request, past) => roleLinks(request, past.roles.get(request.param('id')))
      ),
      handle: (request, id) =>
        readOne(request, `ID "${id}"`, views => {
          requireUuid('acl.role.invalid', 'Role ID', id)
          return isWithinTenancy(views.roles.get(id), request.tenancy)
        })
    },
    list: {
      summary: 'List the roles',
      past: aclListHistory(ROLE_TOPIC, [POLICY_TOPIC]),
      query: {
        policy: 'Only roles linked directly to the policy of this ID',
        filter: 'A filter expression'
      },
      handle: request =>
        respondToRead(request, () => {
          const { views } = request
          request.require('acl', 'read')
          const linked = linkedRoles(request)
          const passes = filterOf(request, FILTER_FIELDS)
          return readAclList(request, {
            source: views.roles,
            watch: 'roles',
            linked,
            passes: passes && (row => passes(row.toObject(views))),
            text: row => row.json(views)
          })
        })
    }
  }),
  route({
    ...facts.read,
    path: '/v1/acl/role/name/:name',
    aliases: ['/v1/acl/role/name/'],
    operationId: 'readRoleByName',
    summary: 'Read a role by name',
    past: historyByName(
      ROLE_TOPIC,
      ({ roles }, request) => roles.named(request.tenancy, request.param('name')),
      row => row.role.ID,
      roleLinks
    ),
    response: responseSchema(roleDefinition),
    handle: request => {
      const name = request.param('name')
      if (name === '') throw invalid('acl.role.invalid', 'Bad request: Missing role Name')
      return readOne(request, `name "${name}"`, views => views.roles.named(request.tenancy, name))
    }
  })
]
