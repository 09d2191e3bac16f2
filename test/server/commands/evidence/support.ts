// A server with commits, and an earlier checkpoint that an auditor has kept.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogEvidence } from '../../../../http/wire/log-evidence.js'
import { logFolder } from '../../../../server/settings/settings.js'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { temporaryFolder, type Scope } from '../../../support/process.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'

/** A secret that no evidence may show. */
export const SECRET = '7d0c1a8f-3c5a-4f0e-9d39-b1a6c7de2e55'

interface AuditedServer {
  readonly server: TestServer
  readonly dataDir: string
  /** Where the log is. */
  readonly path: string
  /** The public key of the log. */
  readonly vkey: string
  /** File of the checkpoint that was kept, and how many commits it has. */
  readonly kept: string
  readonly keptSize: number
  /** Has all that was written signed. @returns how many commits that is */
  readonly sign: () => Promise<number>
  /** Has the signed text of the newest checkpoint. */
  readonly newest: () => string
  /** Runs a command about the log of this server. */
  readonly log: (...args: readonly string[]) => Promise<CommandExit>
}

const write = async (server: TestServer, round: number): Promise<void> => {
  for (let i = 0; i < 4; i++)
    await server.send('PUT', `/v1/kv/web/port/${i}`, {
      body: `${round}`,
      headers: { 'X-Service-Reason': `round ${round}` }
    })
  await server.send('PUT', '/v1/acl/token', {
    body: { Description: `round ${round}`, ...(round === 0 && { SecretID: SECRET }) }
  })
}

/** Starts a server that writes before and after a checkpoint is kept. */
export async function auditedServer(t: Scope, options: TestServerOptions = {}): Promise<AuditedServer> {
  const folder = temporaryFolder(t)
  const dataDir = join(folder, 'data')
  const server = await serverInProcess(t, { dataDir, ...options })
  const evidence = server.scope.resolve(LogEvidence).required
  const sign = async (): Promise<number> => {
    const checkpoint = await evidence.checkpoints.covering(server.app.views.index)
    return checkpoint?.size ?? 0
  }
  const newest = (): string => evidence.checkpoints.newest?.text ?? ''
  await write(server, 0)
  const keptSize = await sign()
  const kept = join(folder, 'old.checkpoint')
  writeFileSync(kept, newest())
  await write(server, 1)
  await sign()
  return {
    server,
    dataDir,
    path: logFolder(dataDir),
    vkey: evidence.vkey,
    kept,
    keptSize,
    sign,
    newest,
    log: (...args) => annals(['log', ...args, '--data-dir', dataDir])
  }
}
