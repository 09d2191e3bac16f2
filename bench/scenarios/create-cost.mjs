// The time of one creation on one connection, compared with its minimum: one durable append and one request.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alternate, imitate } from '../compare.mjs'
import { Helper } from '../helper.mjs'
import { median, targetText } from '../statistics.mjs'
import { scenario as create } from './token-create.mjs'

const MOST = 1.3
/** Size of a commit without the token: its envelope, its hash and the key of an index, in bytes. */
const ENVELOPE = 500

async function* measure(tools) {
  const appender = new Helper(tools.scope, 'append.mjs')
  const server = await tools.start({})
  const context = await create.prepare(server)
  const barePort = await imitate(tools, server.port, create.request(0, context))
  const token = await server.call('GET', '/v1/acl/token/self')
  const size = JSON.stringify(token).length + ENVELOPE
  const { seconds } = tools
  const load = port =>
    tools.client.ask({
      scenario: join(import.meta.dirname, 'token-create.mjs'),
      context,
      port,
      connections: 1,
      seconds
    })
  const append = () => appender.ask({ folder: mkdtempSync(join(tmpdir(), 'annals-append-')), size, seconds })
  const rounds = await alternate(tools.rounds, [
    ['ours', () => load(server.port)],
    ['bare', () => load(barePort)],
    ['append', append]
  ])
  const times = name => rounds[name].map(({ rate }) => 1e6 / rate)
  const [ours, bare, appends] = [times('ours'), times('bare'), times('append')]
  const ratio = median(ours.map((time, i) => time / (bare[i] + appends[i])))
  yield (
    `create-cost      1 conn   create ${us(ours)}, bare append of ${size} bytes ${us(appends)}, bare request ${us(bare)}: ` +
    `${ratio.toFixed(2)} times their sum${targetText(ratio, MOST, false)}`
  )
  await server.stop()
}

const us = list => `${Math.round(median(list))} us`

export const scenario = { name: 'create-cost', measure }
