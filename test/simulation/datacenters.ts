// Clients of the secondary datacenter, whose keys and index are its own. They ask it, or servers of the primary one that forward.
import type { Client, Outgoing, Reply } from './client.js'
import { SECONDARY } from './installations.js'
import type { Machine } from './machine.js'
import { History, HistoryError } from './history.js'
import { KeyOperations } from './keys.js'
import { Requests, type Scene } from './requests.js'
import { SeenRoots } from './roots.js'

/** Between two operations of a client, in ms. */
const MOST_PAUSE = 300
const RETRY = 1000
/** In ms: for how long a datacenter may use what the primary said of a token, and some more to ask it. */
const TOKEN_END = 45_000
const DENIED = 403

/** Returns the scene of the clients of the secondary datacenter. */
export const secondaryScene = (scene: Scene, secondary: Machine): Scene => ({
  ...scene,
  machines: [...scene.machines, secondary],
  commits: secondary.commits,
  history: new History(),
  roots: new SeenRoots()
})

class SecondaryRequests extends Requests {
  override send({ path, ...more }: Outgoing): Promise<Reply> {
    return super.send({ ...more, path: `${path}${path.includes('?') ? '&' : '?'}dc=${SECONDARY}` })
  }
}

export class SecondaryActions {
  readonly #requests: SecondaryRequests

  constructor(
    private readonly scene: Scene,
    client: Client
  ) {
    this.#requests = new SecondaryRequests(scene, client)
  }

  /** Runs operations on keys until the scene closes, and uses tokens of the primary. */
  async run(): Promise<void> {
    const { world, isOpen, secrets } = this.scene
    const requests = this.#requests
    const { choices } = new KeyOperations(requests)
    while (isOpen()) {
      const token = requests.pick([...secrets.values()])
      if (token !== undefined && requests.random.below(4) === 0)
        await requests.send({ method: 'GET', path: '/v1/kv/app/1', token })
      else await requests.pick(choices)?.()
      await world.pause(requests.random.next() * MOST_PAUSE)
    }
  }
}

/** Waits until the secondary datacenter knows which tokens there are. @throws HistoryError */
export const tokensKnown = async (
  { world, secrets }: Scene,
  client: Client,
  port: number,
  exists: (accessor: string) => boolean
): Promise<void> => {
  const end = world.now + TOKEN_END
  for (const [accessor, token] of secrets)
    for (;;) {
      const reply = await client.send(port, { method: 'GET', path: '/v1/kv/app/1', token })
      if (reply.kind === 'answered' && (reply.status !== DENIED) === exists(accessor)) break
      if (world.now > end)
        throw new HistoryError(`${SECONDARY} answers ${JSON.stringify(reply)} to the token ${accessor}`)
      await world.pause(RETRY)
    }
}
