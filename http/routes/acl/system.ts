// The ACL system: its bootstrap, and authorization queries (spec: acl.md §2, §10).
import type { Static } from 'typebox'
import * as Type from 'typebox'
import { inCluster } from '../../../actors/ref.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { ACCESS_KEY, accessEvents } from '../../../events/cluster.js'
import { checkedAuthorization } from './rules.js'
import { json } from '../../wire/response.js'
import { readOptions } from '../../wire/reads/blocking.js'
import type { Settings } from '../../../server/settings/settings.js'
import { bodyRoute, noToken, route, tokenByContent, type Route } from '../../wire/route.js'
import { authorizeBody, authorization, bootstrap, bootstrapped, replication } from '../../schemas/acl.js'
import { writtenAcl, type RequestContext } from '../../wire/request-context.js'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { InjectionToken } from 'tsyringe'
import { ZERO_TIME } from '../../../events/time.js'

/** The response of `GET /v1/acl/replication` (spec: auth.md §11.1). */
export interface ReplicationStatusPort {
  readonly shown: object
}

/** The status of a datacenter that owns its ACLs. */
export const NOT_REPLICATING: ReplicationStatusPort = {
  shown: {
    Enabled: false,
    Running: false,
    SourceDatacenter: '',
    ReplicationType: '',
    ReplicatedIndex: 0,
    ReplicatedRoleIndex: 0,
    ReplicatedTokenIndex: 0,
    LastSuccess: ZERO_TIME,
    LastError: ZERO_TIME,
    LastErrorMessage: ''
  }
}

/** Registered only in secondary datacenters. */
export const REPLICATION_STATUS: InjectionToken<ReplicationStatusPort> = Symbol('ReplicationStatus')

/** The file by which an administrator allows a second bootstrap (spec: acl.md §2.3). */
const FILE = 'acl-bootstrap-reset'

/** Returns the number at the start of the file; undefined without a file, without a number, or for 0. */
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

/** Says whether the first management token may be created. A secondary datacenter uses the primary's. */
const allowsBootstrap = async ({ views, settings }: RequestContext): Promise<boolean> => {
  if (settings.datacenter !== settings.primary_datacenter) return false
  const done = views.access.bootstrap
  return !done || (await readResetIndex(settings.data_dir)) === done.ResetIndex
}

/** Removes the file after the bootstrap that it allowed. */
const clearResetIndex = (dataDir: string): Promise<void> => rm(join(dataDir, FILE), { force: true })

const facts = { tag: 'ACL system', tenancy: 'none' } as const

const MAX_QUESTIONS = 64

/** An empty body or `null` is an empty list. */
const questionsIn = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return value ?? []
}

type Question = Static<typeof authorizeBody>[number]

/** Returns the question with its answer. An empty segment is omitted. */
const answerTo = ({ Resource, Segment, ...rest }: Question, Allow: boolean) => ({
  Resource,
  ...(Segment ? { Segment } : {}),
  ...rest,
  Allow
})

/** @throws Refusal `disabled` in a secondary datacenter, which uses the primary's first token (auth.md §11.4) */
const requirePrimary = ({ datacenter, primary_datacenter: primary }: Settings): void => {
  if (datacenter !== primary)
    throw new Refusal(
      'acl.disabled',
      `ACL support disabled: bootstrap is for the primary datacenter "${primary}", not for "${datacenter}"`
    )
}

const bootstrapRoutes: readonly Route[] = [
  route({
    ...facts,
    access: noToken,
    method: 'PUT',
    path: '/v1/acl/bootstrap',
    operationId: 'bootstrapAcl',
    summary: 'Create the first management token',
    idempotency: 'by the key',
    response: bootstrapped,
    outcomes: { 403: { description: 'It was created before' } },
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
      return request.write(inCluster(accessEvents.topic, ACCESS_KEY), command, () => {
        const row = views.tokens.get(newAccessor)
        return writtenAcl(request, row, created =>
          JSON.stringify({ ID: newSecret, ...created.toObject(views) })
        )
      })
    }
  }),
  route({
    ...facts,
    access: noToken,
    consistency: 'consistent',
    method: 'GET',
    path: '/v1/internal/acl/bootstrap',
    operationId: 'readBootstrap',
    summary: 'Read whether the first management token can be created',
    runs: 'leader',
    response: bootstrap,
    handle: async request => {
      readOptions(request)
      return json({ Allowed: await allowsBootstrap(request) })
    }
  })
]

export const accessRoutes = (replicationStatus: ReplicationStatusPort): readonly Route[] => [
  ...bootstrapRoutes,
  route({
    ...facts,
    access: noToken,
    consistency: 'consistent',
    method: 'GET',
    path: '/v1/acl/replication',
    operationId: 'readAclReplication',
    summary: 'Read the progress of replicating the ACLs of another datacenter',
    runs: 'leader',
    response: replication,
    handle: request => {
      // Contradicting options are refused here as in every read, though none has an effect.
      readOptions(request)
      return json(replicationStatus.shown)
    }
  }),
  bodyRoute({
    ...facts,
    access: tokenByContent('answers for the token presented'),
    method: 'POST',
    path: '/v1/internal/acl/authorize',
    operationId: 'authorize',
    summary: 'Check permissions of the token presented',
    idempotency: 'nothing written',
    body: { schema: authorizeBody, name: 'Authorizations', parse: questionsIn },
    response: Type.Array(authorization),
    handle: (request, body) => {
      if (body.length > MAX_QUESTIONS)
        throw invalid(
          'acl.invalid',
          `Bad request: Refusing to process more than ${MAX_QUESTIONS} authorizations at once: ${body.length} were sent`
        )
      const questions = body.map(element => checkedAuthorization(element))
      return json(
        questions.map(({ resource, access, segment, tenancy }, i) =>
          answerTo(body[i] ?? {}, request.authority.authorizer.may(resource, access, segment, tenancy))
        )
      )
    }
  })
]
