// The cost of replicating all tokens of a primary: both servers in this process, over HTTP, each with a log on disk.
import 'reflect-metadata'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Ids } from '../dist/actors/ids.js'
import { inNamespace } from '../dist/actors/ref.js'
import { SERVER } from '../dist/actors/aggregate.js'
import { ActorSystem } from '../dist/actors/system.js'
import { DEFAULT_TENANCY } from '../dist/events/envelope.js'
import { startDatacenters } from '../dist/test/support/datacenters.js'
import { ROOT } from '../dist/test/support/server.js'
import { cpuOf, scoped } from './measuring.mjs'

const { values } = parseArgs({ options: { tokens: { type: 'string', default: '100000' } } })
const COUNT = Number(values.tokens)
/** Number of tokens per wait for the log. */
const AT_ONCE = 500

const seconds = ms => (ms / 1000).toFixed(2)

const fill = async ({ scope, clock }) => {
  const [system, ids] = [scope.resolve(ActorSystem), scope.resolve(Ids)]
  for (let i = 0; i < COUNT; i++) {
    const data = {
      AccessorID: '',
      SecretID: '',
      Description: `of service ${i}`,
      Policies: [],
      Roles: [],
      ServiceIdentities: [{ ServiceName: `service-${i}` }],
      NodeIdentities: [],
      Rules: '',
      Local: false,
      AuthMethod: '',
      ExpirationTTL: 0,
      newAccessor: ids.uuid(),
      newSecret: ids.uuid()
    }
    const command = { name: 'CreateToken', tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now(), data }
    const made = system.ask(inNamespace('ACLToken', DEFAULT_TENANCY, ''), command)
    if (i % AT_ONCE === AT_ONCE - 1 || i === COUNT - 1) await made
  }
}

await scoped(async scope => {
  const remote = (_from, to) => (to === 'dc1' ? { token: ROOT } : {})
  const all = await startDatacenters(scope, { names: ['dc1', 'dc2'], remote })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await dc1.gate.shut()
  await fill(dc1)
  const before = cpuOf(process.pid)
  const began = performance.now()
  await dc1.gate.open()
  const { tokens } = dc1.app.views
  while (dc2.app.views.tokens.size < tokens.size || dc2.app.views.replication.position === undefined)
    await pause(5)
  await dc2.app.committer.settled()
  const took = performance.now() - began
  console.log(
    `${COUNT} tokens from nothing: ${seconds(took)} s, ${seconds(cpuOf(process.pid) - before)} s of the processor for both servers`
  )
})
