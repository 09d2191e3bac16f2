// The machines of a simulation, and their start.
import type { ProofFailed } from '../../events/log/evidence/proofs.js'
import { Archive } from './archive.js'
import { Client } from './client.js'
import { memberOf, secondaryServer } from './installations.js'
import type { Installation, Machine } from './machine.js'
import { replicaOf } from './replicas.js'
import type { Script } from './script.js'
import { settled, MOST_WAITING, type World } from './world.js'

const SERVERS = 3
/** Of how many seeds one has a replica, whose source must retain all commits. */
const REPLICAS = 4
/** Of how many seeds one has workers: a seed may have both. */
const WORKERS = 5
/** The member that a replica follows: never the one whose files decay. */
const SOURCE = 1
const RETRY = 100
const OK = 200

export interface Sites {
  /** Of the primary datacenter's log. */
  readonly archive: Archive
  /** The members of the cluster. */
  readonly machines: readonly Machine[]
  readonly secondary: Machine
  readonly replicas: readonly Machine[]
  /** What the replicas could not trust. */
  readonly refusals: readonly ProofFailed[]
  readonly all: readonly Machine[]
  readonly haveWorkers: boolean
}

/** Creates the machines of a script. */
export const sitesOf = (
  script: Script,
  create: (installation: Installation, commits: Archive) => Machine
): Sites => {
  const hasReplica = script.seed % REPLICAS === 0
  const haveWorkers = script.seed % WORKERS === 0
  const form = { prunes: !hasReplica, workers: haveWorkers ? 1 : 0 }
  const archive = new Archive()
  const machines = Array.from({ length: SERVERS }, (_, number) => create(memberOf(number, form), archive))
  const secondary = create(secondaryServer(form), new Archive())
  const refusals: ProofFailed[] = []
  const replicas = machines.slice(SOURCE, hasReplica ? SOURCE + 1 : SOURCE).map(source =>
    create(
      replicaOf(source, error => refusals.push(error)),
      archive
    )
  )
  return {
    archive,
    machines,
    secondary,
    replicas,
    refusals,
    haveWorkers,
    all: [...machines, secondary, ...replicas]
  }
}

export const started = async (world: World, machines: readonly Machine[], query: string): Promise<void> => {
  for (const machine of machines) machine.start()
  await world.run(() => machines.every(({ running }) => running !== undefined), MOST_WAITING)
  await authorized(world, machines, query)
}

/** Waits until the clients' token is known. @param query of the read that shows it */
export const authorized = async (
  world: World,
  machines: readonly Machine[],
  query: string
): Promise<void> => {
  const client = new Client(world, 'client-0')
  const ask = async (port: number): Promise<void> => {
    for (;;) {
      const reply = await client.send(port, { method: 'GET', path: `/v1/acl/token/self${query}` })
      if (reply.kind === 'answered' && reply.status === OK) return
      await world.pause(RETRY)
    }
  }
  await settled(
    world,
    world.as(client.process, () => Promise.all(machines.map(({ port }) => ask(port))))
  )
}
