// Change sets: changes of several resources in one commit.
import { parseExact } from '../../wire/bodies/json-parsing.js'
import { anyToken, bodyRoute, route, type Route } from '../../wire/route.js'
import { present, unsigned64 } from '../../wire/query.js'
import { changeSetBody, changeSetOutcome } from '../../schemas/changes.js'
import type { Impacts } from '../acl/impact/impacts.js'
import { changeSetIn } from './change-set-body.js'
import { runChangeSet } from './change-set-run.js'
import type { ChangeSetReverts } from './change-set-reverts.js'

const facts = {
  tag: 'Change sets',
  method: 'POST',
  access: anyToken('for each change the permissions of its own request, and to read what the outcome shows'),
  refusesUnknown: true,
  response: changeSetOutcome,
  query: { 'dry-run': present('Commit nothing; return the outcome of each change') },
  outcomes: {
    409: { description: 'Nothing was changed: a resource changed since, or belongs to another owner' },
    413: { description: 'Nothing was changed: more changes than a commit may have' }
  }
} as const

/** @param routes with the write operations */
export const changeRoutes = (
  reverts: ChangeSetReverts,
  impacts: Impacts,
  routes: readonly Route[]
): readonly Route[] => [
  bodyRoute({
    ...facts,
    path: '/v1/changes',
    operationId: 'applyChangeSet',
    summary: 'Create, update and delete resources of any kinds in one commit, or none of them',
    query: {
      ...facts.query,
      impact: present('With dry-run: also return the rights that tokens gain and lose; needs acl:read')
    },
    body: { schema: changeSetBody, name: 'ChangeSet', parse: parseExact },
    handle: async (request, body) =>
      runChangeSet(
        request,
        await request.runBeside(changeSetIn(request, body)),
        routes,
        request.query.has('impact') ? change => impacts.of(request, change, undefined, 0) : undefined
      )
  }),
  route({
    ...facts,
    query: {
      ...facts.query,
      commit: unsigned64(
        'Revert only this commit of the change set, where all have more changes than a commit may have'
      )
    },
    path: '/v1/changes/:id/revert',
    operationId: 'revertChangeSet',
    summary: 'Revert all changes of a change set in one commit, unless others changed a resource since',
    handle: request => reverts.answer(request, routes)
  })
]
