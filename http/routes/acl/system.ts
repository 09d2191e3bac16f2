// The ACL system as a whole: its bootstrap, and questions about what a token may do (spec: acl.md §2, §10).
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { inCluster } from '../../../actors/ref.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { ACCESS_KEY, OPERATOR_TOPIC } from '../../../events/access.js'
import { AuthorizeRequestError, checkAuthorization } from '../../../projections/acl/authorize-request.js'
import { json } from '../../wire/response.js'
import { readOptions } from '../../wire/reads/blocking.js'
import type { Settings } from '../../../server/settings/settings.js'
import { bodyRoute, noToken, route, tokenByContent, type Route } from '../../wire/route.js'
import { authorizeBody, authorization, bootstrapped, replication } from '../../schemas/acl.js'
import { writtenAcl } from '../../wire/namespace-view.js'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The file by which an administrator allows a second bootstrap (spec: acl.md §2.3). */
const FILE = 'acl-bootstrap-reset'

/** The number that the file begins with; undefined when there is no file or it begins with none, or with 0. */
const readResetIndex = async (dataDir: string): Promise<number | undefined> => {
  let text: string
  try {
    text = await readFile(join(dataDir, FILE), 'utf8')
  } catch {
    return undefined
  }
  const digits = /^\s*(\d{1,15})/.exec(text)?.[1]
  return Number(digits ?? 0) || undefined
}

/** Removes the file: what it allowed is used up. */
const clearResetIndex = (dataDir: string): Promise<void> => rm(join(dataDir, FILE), { force: true })

const facts = { tag: 'ACL system', tenancy: 'none' } as const

const MOST_QUESTIONS = 64

/** Nothing asked is answered with nothing, however it is said. */
const questionsIn = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return value ?? []
}

type Question = Static<typeof authorizeBody>[number]

const checked = (question: Question) => {
  try {
    return checkAuthorization(question)
  } catch (error) {
    if (error instanceof AuthorizeRequestError) throw invalid(`Bad request: ${error.message}`)
    throw error
  }
}

/** As it was sent, with the answer; an empty segment is left out. */
const answered = ({ Resource, Segment, ...sent }: Question, Allow: boolean) => ({
  Resource,
  ...(Segment ? { Segment } : {}),
  ...sent,
  Allow
})

/** @throws Refusal `disabled` in another datacenter, whose first token is that of the primary (auth.md §11.4) */
const requirePrimary = ({ datacenter, primary_datacenter: primary }: Settings): void => {
  if (datacenter !== primary)
    throw new Refusal(
      'disabled',
      `ACL support disabled: bootstrap is for the primary datacenter "${primary}", not for "${datacenter}"`
    )
}

/** @param told what is told of replication, now */
export const accessRoutes = (told: { readonly shown: object }): readonly Route[] => [
  route({
    ...facts,
    access: noToken,
    method: 'PUT',
    path: '/v1/acl/bootstrap',
    operationId: 'bootstrapAcl',
    summary: 'Make the first management token',
    idempotency: 'by the key',
    response: bootstrapped,
    outcomes: { 403: { description: 'It was made before' } },
    handle: async request => {
      const { views, settings, committer } = request
      requirePrimary(settings)
      const resetIndex = await readResetIndex(settings.data_dir)
      committer.assertWritable()
      const allowed = views.access.bootstrap
      if (!allowed || resetIndex === allowed.ResetIndex) await clearResetIndex(settings.data_dir)
      const newAccessor = request.newId()
      const newSecret = request.newId()
      const command = request.command('Bootstrap', { newAccessor, newSecret, resetIndex })
      return request.write(inCluster(OPERATOR_TOPIC, ACCESS_KEY), command, () => {
        const row = views.tokens.get(newAccessor)
        return writtenAcl(request, row, made => JSON.stringify({ ID: newSecret, ...made.toObject(views) }))
      })
    }
  }),
  route({
    ...facts,
    access: noToken,
    consistency: 'consistent',
    method: 'GET',
    path: '/v1/acl/replication',
    operationId: 'readAclReplication',
    summary: 'Tell how far the ACLs of another datacenter are replicated',
    runs: 'leader',
    response: replication,
    handle: request => {
      // They contradict each other here as anywhere, though neither matters alone.
      readOptions(request)
      return json(told.shown)
    }
  }),
  bodyRoute({
    ...facts,
    access: tokenByContent('answers for the token presented'),
    method: 'POST',
    path: '/v1/internal/acl/authorize',
    operationId: 'authorize',
    summary: 'Ask what the token presented may do',
    idempotency: 'nothing written',
    body: { schema: authorizeBody, name: 'Authorizations', parse: questionsIn },
    response: Type.Array(authorization),
    handle: (request, given) => {
      if (given.length > MOST_QUESTIONS)
        throw invalid(
          `Bad request: Refusing to process more than ${MOST_QUESTIONS} authorizations at once: ${given.length} were sent`
        )
      const questions = given.map(checked)
      return json(
        questions.map(({ resource, access, segment, tenancy }, i) =>
          answered(given[i] ?? {}, request.may(resource, access, segment, tenancy))
        )
      )
    }
  })
]
