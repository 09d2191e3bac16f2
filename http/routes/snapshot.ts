// Saving and restoring the whole state (spec: state.md §9).
import * as Type from 'typebox'
import { LastEventFold, difference } from '../../actors/snapshot/difference.js'
import { snapshotAggregate } from '../../actors/snapshot/aggregate.js'
import { invalid } from '../../actors/refusal.js'
import { Views } from '../../projections/views.js'
import { empty, type Answer } from '../answer.js'
import type { App } from '../app.js'
import { answerRead } from '../blocking.js'
import { needs, route, type Route } from '../route.js'
import { BadArchive, readArchive, writeArchive } from '../snapshot/archive.js'

const GIBIBYTE = 1024 ** 3
const facts = {
  tag: 'Snapshot',
  path: '/v1/snapshot',
  access: needs('acl:write'),
  blocking: false,
  caching: 'none',
  tenancy: 'none'
} as const

/** The commits of an archive that this program can replay. @throws Refusal `invalid` */
const verified = async (app: App, bytes: Buffer): Promise<LastEventFold> => {
  const wanted = new LastEventFold(app.lives)
  const trial = new Views(app.views.settings)
  try {
    for (const commit of await readArchive(bytes)) {
      app.lives.check(trial, commit.Events)
      trial.apply(commit)
      wanted.apply(commit)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const what =
      error instanceof BadArchive ? 'failed to decompress snapshot' : 'the snapshot cannot be replayed'
    throw invalid(`${what}: ${reason}`)
  }
  return wanted
}

/** The last events of the log of now. Nothing is decided between the last look at the log and the caller's next step. */
const present = async ({ log, lives, views, committer }: App): Promise<LastEventFold> => {
  const fold = new LastEventFold(lives)
  let next = 1
  while (next <= views.index) {
    await committer.settled()
    for await (const commit of log.read(next)) {
      fold.apply(commit)
      next = commit.Index + 1
    }
  }
  return fold
}

/** Whether the writing was broken off by the reader. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'

export const snapshotRoutes: readonly Route[] = [
  route({
    ...facts,
    method: 'GET',
    consistency: 'all',
    summary: 'Save the whole state: a verified archive of the log',
    response: Type.String({ description: 'A gzipped tar' }),
    handle: request => {
      request.require('acl', 'write')
      return answerRead(request, () => {
        const { log, views, logger } = request.app
        const last = views.index
        const answer: Answer = {
          status: 200,
          body: '',
          type: 'application/x-gzip',
          headers: [],
          stream: response => {
            writeArchive(log.read(1), last, response).catch(error => {
              if (isGone(error)) logger.info('a reader of a snapshot went away before its end')
              else logger.error({ err: error }, 'a snapshot could not be written to its end')
              response.destroy()
            })
          }
        }
        return { index: last, watch: [], answer }
      })
    }
  }),
  route({
    ...facts,
    method: 'PUT',
    consistency: 'none',
    bodyLimit: GIBIBYTE,
    summary: 'Make the state what a snapshot says; what was stays in the log',
    handle: async request => {
      request.require('acl', 'write')
      const { app } = request
      const wanted = await verified(app, request.incoming.body ?? Buffer.alloc(0))
      const before = await present(app)
      const from = app.views.index
      const changes = difference(before.events, wanted.events, app.lives).filter(
        event => !app.lives.isEnding(event) || app.lives.isPossible(app.views, event)
      )
      const answer = request.write(
        snapshotAggregate,
        request.command('RestoreSnapshot', { from, changes }),
        () => empty(200)
      )
      await app.committer.settled()
      app.views.watch.endAll()
      return answer
    }
  })
]
