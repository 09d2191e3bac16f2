// The server of a run, which is killed and restarted, and its writers.
import { send, type TestResponse, type TestRequestOptions } from '../../../support/client.js'
import { startServer, temporaryFolder, type Scope, type ServerProcess } from '../../../support/process.js'
import { ROOT } from '../../../support/server.js'
import { ALL_READER_PERMISSIONS, type ReaderPermissions, type Write } from './plan.js'

const rulesOf = ({ folders, nodes }: ReaderPermissions): string =>
  [
    ...folders.map(folder => `key_prefix "${folder}" { policy = "read" }`),
    ...(nodes ? ['node_prefix "" { policy = "read" }'] : [])
  ].join('\n')

export class World {
  readonly dataDir: string
  #server: Promise<ServerProcess>
  #policy = ''
  #limited = ''
  /** By number; each policy of the log has its number as description. */
  readonly #rights: ReaderPermissions[] = []
  #whenChanged: (() => void)[] = []

  constructor(private readonly scope: Scope) {
    this.dataDir = temporaryFolder(scope)
    this.#server = this.#start()
  }

  /** Resolves with the server's address when it answers. */
  async base(): Promise<string> {
    return (await this.#server).base
  }

  /** Number of requested changes of permissions, whether committed or not. */
  get asked(): number {
    return this.#rights.length
  }

  /** Returns the permissions of a policy of the log. */
  rightsNumbered(number: number): ReaderPermissions | undefined {
    return this.#rights[number]
  }

  secretOf(isLimited: boolean): string {
    return isLimited ? this.#limited : ROOT
  }

  /** Creates the limited token. */
  async prepare(): Promise<void> {
    this.#rights.push(ALL_READER_PERMISSIONS)
    const policy = { Name: 'limited', Description: '0', Rules: rulesOf(ALL_READER_PERMISSIONS) }
    const made = await this.#send('PUT', '/v1/acl/policy', { body: policy })
    const { ID }: { readonly ID: string } = JSON.parse(made.text)
    this.#policy = ID
    const token = await this.#send('PUT', '/v1/acl/token', { body: { Policies: [{ ID }] } })
    const { SecretID }: { readonly SecretID: string } = JSON.parse(token.text)
    this.#limited = SecretID
  }

  /** Index of the commit. */
  async setRights(rights: ReaderPermissions): Promise<number> {
    const number = this.#rights.push(rights) - 1
    const body = { Name: 'limited', Description: String(number), Rules: rulesOf(rights) }
    const { headers } = await this.#send('PUT', `/v1/acl/policy/${this.#policy}`, { body })
    for (const wake of this.#whenChanged.splice(0)) wake()
    return Number(headers['x-service-index'])
  }

  /** Resolves after another change of permissions. */
  changed(): Promise<void> {
    return new Promise(resolve => this.#whenChanged.push(resolve))
  }

  async write(write: Write): Promise<void> {
    await this.#send(...requestOf(write))
  }

  /** Kills the server during these writes, each of which is committed or not. */
  async kill(writes: readonly Write[]): Promise<void> {
    const server = await this.#server
    const underWay = writes.map(write => this.write(write).catch(() => undefined))
    await Promise.race(underWay)
    const killed = server.kill()
    this.#server = killed.then(() => this.#start())
    await Promise.all([killed, ...underWay])
    await this.#server
  }

  async stop(): Promise<void> {
    await (await this.#server).stop()
  }

  async #send(method: string, path: string, sending: TestRequestOptions = {}): Promise<TestResponse> {
    const answer = await send(await this.base(), method, path, { token: ROOT, ...sending })
    if (answer.status !== 200)
      throw new Error(`${method} ${path} was answered ${answer.status} ${answer.text}`)
    return answer
  }

  #start(): Promise<ServerProcess> {
    const { dataDir } = this
    return startServer(this.scope, { dataDir, initialManagement: ROOT })
  }
}

const requestOf = (write: Write): readonly [method: string, path: string, sending?: TestRequestOptions] => {
  switch (write.kind) {
    case 'put':
      return ['PUT', `/v1/kv/${write.key}`, { body: 'x'.repeat(write.size) }]
    case 'delete':
      return ['DELETE', `/v1/kv/${write.key}`]
    case 'together':
      return [
        'PUT',
        '/v1/txn',
        { body: write.keys.map(Key => ({ KV: { Verb: 'set', Key, Value: 'eA==' } })) }
      ]
    case 'node':
      return [
        'PUT',
        '/v1/catalog/register',
        { body: { Node: write.name, Address: '192.0.2.1', NodeMeta: { at: String(Math.random()) } } }
      ]
  }
}
