// Damaged files of the log: what is acknowledged is there, or the log says what is damaged. Some cases of many:
// ANNALS_DAMAGE_CASES plays more.
import test from 'ava'
import {
  COMMITS,
  damaged,
  openDamagedFolder,
  usedBytes,
  writtenFolder,
  type DamageResult
} from '../support/damage.js'
import { seeded } from '../support/random.js'

const cases = Number(process.env['ANNALS_DAMAGE_CASES'] ?? 40)

const ends: readonly DamageResult[] = ['clean', 'killed']
for (const [end, compress] of ends.flatMap(each => [[each, false] as const, [each, true] as const]))
  test(`a ${compress ? 'packed' : 'plain'} log whose server was ${end === 'clean' ? 'stopped' : 'killed'}: damage to any file is named or harmless`, async t => {
    const seed = Number(process.env['ANNALS_DAMAGE_SEED'] ?? Date.now() % 2 ** 32)
    t.log(`ANNALS_DAMAGE_SEED=${seed}`)
    const random = seeded(seed)
    const written = await writtenFolder(end, compress)
    const files = (await written.list()).map(name => {
      const content = written.content(name) ?? Buffer.alloc(0)
      return { name, content, used: usedBytes(content) }
    })
    const counts: Record<string, number> = { named: 0, harmless: 0, shorter: 0 }
    for (let left = cases; left > 0; left--) {
      const disk = written.killed()
      const file = files[random.below(files.length)]
      if (!file) return t.fail('the folder is empty')
      const { name } = file
      const { what, content } = damaged(file.content, file.used, random)
      if (content === undefined) disk.remove(name)
      else disk.put(name, content)
      const found = await openDamagedFolder(disk)
      counts[found.kind] = (counts[found.kind] ?? 0) + 1
      const label = `${name}, ${what}`
      if (found.kind === 'named') t.regex(found.text, /\/simulated/, label)
      if (found.kind !== 'shorter') continue
      // Only the last group of a server that was killed may look torn, and never silently.
      t.is(end, 'killed', label)
      t.is(found.head, COMMITS - 1, label)
      t.true(found.reports.length > 0, label)
    }
    t.log(JSON.stringify(counts))
    t.true((counts['named'] ?? 0) > 0 && (counts['harmless'] ?? 0) > 0)
  })
