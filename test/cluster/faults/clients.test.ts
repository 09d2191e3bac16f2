// The recorded cases, and the client in npm's `consul`, against a server that follows: as against one server.
import Consul from 'consul'
import test, { type ExecutionContext } from 'ava'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject, type Profile, type Transcript } from '../../conformance/case-file.js'
import { differingCases } from '../../conformance/differing-cases.js'
import { caseFiles } from '../../conformance/play-file.js'
import { transcribe, type PlayedServer } from '../../conformance/player.js'
import { aclOf, rootOf } from '../../conformance/profiles.js'
import { send, type TestResponse } from '../../support/client.js'
import { consulPlays } from '../../support/consul-plays.js'
import { missing } from '../../support/programs.js'
import type { Scope } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { ROOT } from '../../support/server.js'
import { annalsServer } from '../annals-server.js'
import { startEtcd, type Etcd } from '../etcd-member.js'
import { loopbackMachines } from '../machines/loopback.js'

const [machine] = loopbackMachines(1)
let clusters = 0

/** A leader and a follower of a cluster of their own, of which the follower is played on. They end with the scope. */
const startPair = async (
  scope: Scope,
  etcd: Etcd,
  profile: Profile,
  config: Readonly<Record<string, unknown>> = {}
): Promise<PlayedServer> => {
  if (!machine) throw new Error('there is no machine')
  const prefix = `/annals-${clusters++}`
  const dns = await machine.freePort()
  const endpoints = etcd.members.map(({ url }) => url)
  const plan = (name: string) => ({
    machine,
    name,
    cluster: { etcd: { endpoints, prefix } },
    config: { ...config, acl: aclOf(profile) }
  })
  const leader = await annalsServer(scope, plan('server-2'))
  const played = await annalsServer(scope, { ...plan('server-1'), dns })
  for (const server of [leader, played]) {
    server.start()
    await server.answers()
  }
  const root = await rootOf(profile, (method, path) => send(played.base, method, path))
  if (root !== undefined)
    await until('the follower has heard of itself', async () => {
      const { status, text } = await send(played.base, 'GET', '/v1/agent/members', { token: root })
      return status === 200 && text.includes(`"Name":"${played.name}"`)
    })
  return {
    base: played.base,
    saved: { dns_port: String(dns), ...(root === undefined ? {} : { root }) },
    pass: ms => pause(ms),
    settled: () => send(played.base, 'GET', '/v1/kv/settled'),
    close: async () => {
      await Promise.all([leader.kill(), played.kill()])
    }
  }
}

/** The recorded server led, and a leader is in contact with itself: since when a follower has had a proof is its own. */
const transcribedAsOfLeader = (answer: TestResponse): Transcript => {
  const transcript = transcribe(answer)
  const { body } = transcript
  const tellsContact = isObject(body) && typeof body['LastContact'] === 'number'
  return tellsContact ? { ...transcript, body: { ...body, LastContact: 0 } } : transcript
}

/** Recorded from a single server: it is its only member, its node is not registered, and its last contact is 0. */
const OF_ONE_SERVER: Readonly<Record<string, readonly string[]>> = {
  agent: ['members'],
  'consistency-cache': ['header values of a single server: known leader true, last contact 0'],
  // The service `consul` has an instance on each server.
  health: ['the agent itself: serfHealth'],
  'query-near': [
    '_agent is the node of the agent that serves the request; X-Forwarded-For that is no address leaves the peer, who is at the address of the agent here'
  ]
}

const playAll = async (t: ExecutionContext, file: ReturnType<typeof caseFiles>[number]): Promise<void> => {
  if (await missing(t, 'etcd')) return
  const etcd = await startEtcd(t, loopbackMachines(1))
  const start = (profile: Profile): Promise<PlayedServer> => startPair(t, etcd, profile)
  const except = OF_ONE_SERVER[file.area] ?? []
  t.is(await differingCases(file, start, { transcribed: transcribedAsOfLeader, except }), '')
}

for (const file of caseFiles())
  test.serial(`fault 25, ${file.area}: a follower answers every request as recorded`, async t => {
    await playAll(t, file)
  })

for (const [title, play] of Object.entries(consulPlays))
  test.serial(`fault 25, npm’s consul, ${title}`, async t => {
    if (await missing(t, 'etcd')) return
    const etcd = await startEtcd(t, loopbackMachines(1))
    const { base } = await startPair(t, etcd, { initial_management: ROOT }, { compat: true })
    const { hostname, port } = new URL(base)
    await play(t, new Consul({ host: hostname, port: Number(port), defaults: { token: ROOT } }))
  })
