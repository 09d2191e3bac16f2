// The metrics as Prometheus checks them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { missing } from '../../../support/programs.js'
import { busyServer, scrape } from './support.js'

test('promtool has nothing to say about the metrics', async t => {
  if (await missing(t, 'promtool')) return
  const text = await scrape(await busyServer(t))
  const promtool = spawn('promtool', ['check', 'metrics'])
  const said: string[] = []
  for (const stream of [promtool.stdout, promtool.stderr])
    stream.on('data', chunk => said.push(String(chunk)))
  promtool.stdin.end(text)
  const [code]: readonly unknown[] = await once(promtool, 'close')
  t.is(said.join(''), '')
  t.is(code, 0)
})
