// Starts of servers with 1,000,000 keys, 200,000 tokens and 50,000 services: time, memory, and pauses while a snapshot is written.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SIZES = [
  { commits: 1_000_000, keys: 1_000_000, tokens: 0, services: 0 },
  { commits: 200_000, keys: 0, tokens: 200_000, services: 0 },
  { commits: 50_000, keys: 0, tokens: 0, services: 50_000 }
]

async function* measure() {
  yield 'full-size: starts by replay and from a snapshot'
  for (const size of SIZES) {
    const options = Object.entries({ ...size, rounds: 1 }).flatMap(([name, value]) => [
      `--${name}`,
      String(value)
    ])
    const start = spawn(process.execPath, [join(import.meta.dirname, '../start.mjs'), ...options], {
      stdio: ['ignore', 'pipe', 'inherit']
    })
    for await (const line of createInterface({ input: start.stdout })) yield `  ${line}`
  }
}

export const scenario = { name: 'full-size', measure }
