// Shared by the tests of the event stream: servers, readers that end with the test, and commits of any topic.
import type { Event } from '../../../events/envelope.js'
import { nodePayload } from '../../../events/node.js'
import { formatTime } from '../../../events/time.js'
import type { Settings } from '../../../server/settings/settings.js'
import { StreamLimits } from '../../../http/stream/event-streams.js'
import type { Scope } from '../../support/process.js'
import { ROOT, serverInProcess, type TestServer, type TestServerOptions } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { openStream, type StreamOptions, type StreamReader } from '../../support/stream.js'

/** Payloads for topics whose read models need them. */
const payloads: Readonly<Record<string, (key: string) => object>> = {
  Node: name =>
    nodePayload({
      partition: 'default',
      node: {
        ID: '',
        Node: name,
        Address: '192.0.2.1',
        Datacenter: 'dc1',
        TaggedAddresses: null,
        Meta: null,
        CreateIndex: 1,
        ModifyIndex: 1
      },
      registeredAt: '2026-01-01T00:00:00Z',
      status: 'initializing',
      statusUpdatedAt: 0,
      eligible: true
    }),
  Service: ID => ({ ID, ServiceName: ID, Node: 'nowhere' }),
  Check: CheckID => ({ CheckID, Node: 'nowhere', ServiceName: '' })
}

/** Creates an event of a topic, with minimal defaults. */
export const event = (Topic: string, Key: string, more: Partial<Event> = {}): Event => ({
  Topic,
  Type: `${Topic}Upserted`,
  Key,
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null,
  Payload: { [Topic]: payloads[Topic]?.(Key) ?? {} },
  ...more
})

/** Commits events as one commit, and returns its index. */
export const commit = (server: TestServer, ...Events: readonly Event[]): number =>
  commitAt(server, formatTime(Date.now()), ...Events)

/** Like `commit`, at a given time. */
export const commitAt = ({ app }: TestServer, Time: string, ...Events: readonly Event[]): number => {
  const Index = app.views.index + 1
  app.committer.commit({
    Index,
    Time,
    By: { AccessorID: '', Address: '', RequestID: '', Command: 'Test' },
    Events
  })
  return Index
}

export interface StreamServerOptions extends TestServerOptions {
  /** Stream settings, also beyond the limits of the configuration. */
  readonly stream?: Partial<Settings['stream']>
  readonly limits?: Partial<StreamLimits>
}

export const streamServer = (
  t: Scope,
  { stream, limits, ...rest }: StreamServerOptions = {}
): Promise<TestServer> =>
  serverInProcess(t, {
    ...rest,
    adjust: settings => ({ ...settings, stream: { ...settings.stream, ...stream } }),
    register: container => {
      rest.register?.(container)
      container.registerInstance(StreamLimits, Object.assign(new StreamLimits(), limits))
    }
  })

/** Opens a stream; default: with the management token. It ends with the test. */
export const read = async (
  t: Scope,
  { base }: TestServer,
  query = '',
  options: StreamOptions = {}
): Promise<StreamReader> => {
  const reader = await openStream(base, query, { token: ROOT, ...options })
  t.teardown(() => reader.close())
  return reader
}

/** Writes until the server has closed its only stream, whose reader is stalled. */
export const writeUntilClosed = async (server: TestServer): Promise<void> => {
  const change = event('KV', 'k', { Payload: { KV: { Value: 'x'.repeat(100_000) } } })
  await until('the stream is closed', async () => {
    commit(server, change)
    await server.app.committer.durable()
    return server.app.streams.size === 0
  })
}
