// Reverts as tests ask for them.
import type { ExecutionContext } from 'ava'
import type { Commit } from '../../../../events/envelope.js'
import { ROOT, type TestServer } from '../../../support/server.js'
import { indexOf } from '../../support.js'

export interface Reverted {
  readonly Index?: number
  readonly DryRun?: true
  readonly Undone: number
  readonly To: number
  readonly Patch: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[]
  readonly Others: readonly { readonly Topic: string; readonly Key: string }[]
  readonly Refusal?: { readonly Status: number; readonly Message: string }
}

export const ask = (server: TestServer, query: string, token: string | undefined = ROOT) =>
  server.send('PUT', `/v1/event/revert?${query}`, { token })

export const revert = async (t: ExecutionContext, server: TestServer, query: string): Promise<Reverted> => {
  const { status, text } = await ask(server, query)
  t.is(status, 200, text)
  return JSON.parse(text)
}

export const newest = async ({ app }: TestServer): Promise<Commit> => {
  let last: Commit | undefined
  for await (const commit of app.log.read(app.log.durableIndex)) last = commit
  if (!last) throw new Error('the log is empty')
  return last
}

/** Sends a request that must succeed, and answers with the index of its commit. */
export const done = async (
  t: ExecutionContext,
  server: TestServer,
  method: string,
  path: string,
  body?: unknown
) => {
  const answer = await server.send(method, path, { body })
  t.is(answer.status, 200, answer.text)
  return indexOf(answer)
}

export const read = async (server: TestServer, path: string): Promise<unknown> => {
  const { status, text } = await server.send('GET', path)
  return status === 200 ? JSON.parse(text) : status
}
