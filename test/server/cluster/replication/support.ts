// Two datacenters, of which the second takes over what the first has, and what tests ask of them.
import type { ExecutionContext } from 'ava'
import { ReplicationFollower } from '../../../../server/cluster/replication/follower.js'
import { startDatacenters, type Datacenter, type DatacentersOptions } from '../../../support/datacenters.js'
import { ROOT, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

export type ReplicatedFixture = Readonly<Record<string, unknown>>

/** Both have a log on disk, which has an identity, and the management token `ROOT`, by which the second one asks the first. */
export const startPair = async (
  t: ExecutionContext,
  options: DatacentersOptions = {}
): Promise<readonly [dc1: Datacenter, dc2: Datacenter]> => {
  const remote = (_from: string, to: string) => (to === 'dc1' ? { token: ROOT } : {})
  const all = await startDatacenters(t, {
    names: ['dc1', 'dc2'],
    remote,
    of: () => ({ log: 'disk' }),
    ...options
  })
  return [all.at('dc1'), all.at('dc2')]
}

export const fixtureIn = (text: string): ReplicatedFixture => JSON.parse(text)

/** PUTs a resource, and returns the server's version of it. */
export const put = async (at: TestServer, path: string, body: object): Promise<ReplicatedFixture> =>
  fixtureIn((await at.send('PUT', path, { body: JSON.stringify(body) })).text)

export const statusOf = async (at: TestServer): Promise<ReplicatedFixture> =>
  fixtureIn((await at.send('GET', '/v1/acl/replication', { token: undefined })).text)

/** Waits until everything that the primary has by now was taken over. */
export const caughtUp = async (dc1: TestServer, dc2: TestServer): Promise<void> => {
  const { index } = dc1.app.views
  const { status } = dc2.scope.resolve(ReplicationFollower)
  // The primary tells where its log stands.
  dc1.advance(1000)
  await until('everything was taken over', () => status.applied >= index)
}

/** Waits until the status says so. */
export const replicated = (at: TestServer, message: RegExp): Promise<unknown> =>
  until(String(message), async () => message.test(String((await statusOf(at))['LastErrorMessage'])))
