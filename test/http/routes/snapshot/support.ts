// Saving and restoring snapshots of servers in tests.
import { factsOf } from '../../../support/state-facts.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'

/** A server in whose log more stands than its start: a restore comes as pieces. */
export const usedServer = async (
  ...given: Parameters<typeof serverInProcess>
): ReturnType<typeof serverInProcess> => {
  const server = await serverInProcess(...given)
  await server.send('PUT', '/v1/kv/used', { body: 'x' })
  return server
}

type Reached = Pick<TestServer, 'base'>

/** The archive of everything that a server has. */
export const save = async ({ base }: Reached, query = ''): Promise<Buffer> => {
  const answer = await fetch(`${base}/v1/snapshot${query}`, { headers: { 'X-Service-Token': ROOT } })
  if (answer.status !== 200) throw new Error(await answer.text())
  return Buffer.from(await answer.arrayBuffer())
}

export const restore = async ({ base }: Reached, bytes: Buffer, token = ROOT) => {
  const answer = await fetch(`${base}/v1/snapshot`, {
    method: 'PUT',
    headers: { 'X-Service-Token': token },
    body: new Uint8Array(bytes)
  })
  return { status: answer.status, text: await answer.text() }
}

/** Returns the content without the server's own: indexes, types of events, which a restore may change, and the ID of its node. */
export const contentOf = ({ app, settings }: TestServer): string => {
  const facts = factsOf(app.views).map(fact => Object.assign({}, fact, { Type: '' }))
  const text = JSON.stringify(facts, (name, value: unknown) =>
    typeof value === 'number' && !OWN_NUMBERS.has(name) ? 0 : name === 'NodeID' ? '' : value
  )
  return text.replaceAll(settings.node_id, 'own')
}
const OWN_NUMBERS: ReadonlySet<string> = new Set([
  'Flags',
  'LockIndex',
  'LockDelay',
  'Port',
  'Passing',
  'Warning'
])
