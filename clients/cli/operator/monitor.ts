// `annals monitor`
import { Readable } from 'node:stream'
import { writeLines } from '../console.js'
import { jsonLinesOf } from '../json-lines.js'
import { runUntilInterrupted } from '../remote/child.js'
import { remoteCommand } from '../remote/command.js'
import { on, text, whole } from '../remote/flags.js'

async function* atMost(lines: AsyncIterable<string>, most: number): AsyncGenerator<string> {
  if (most === 0) return
  let count = 0
  for await (const line of lines) {
    yield line
    if (++count >= most) return
  }
}

async function* untilInterrupted(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield* lines
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

export const monitor = remoteCommand({
  summary: 'Print the lines that the server writes into its own log, from now on.',
  about:
    'It runs until Ctrl-C, or until the server ends. The level does not depend on `log.level` of the server.',
  examples: ['annals monitor', 'annals monitor -log-level=warn', 'annals monitor -log-json'],
  flags: {
    logLevel: text('level', 'the lowest level that is shown (default: info)'),
    logJson: on('lines as JSON; so does --json'),
    limit: whole('number', 'end after so many lines')
  },
  run: ({ connection, out, console, flags }) =>
    runUntilInterrupted(async signal => {
      const query = { loglevel: flags.logLevel, logjson: flags.logJson || out.isJson }
      const { body } = await connection.request('GET', '/v1/agent/monitor', { query, signal })
      if (!body) return
      const lines = jsonLinesOf(Readable.fromWeb(body), Number.MAX_SAFE_INTEGER)
      const most = flags.limit === undefined ? Infinity : Number(flags.limit)
      await writeLines(console.out, untilInterrupted(atMost(lines, most), signal))
    })
})
