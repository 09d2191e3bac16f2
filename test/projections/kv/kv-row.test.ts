import test from 'ava'
import * as fc from 'fast-check'
import { type KvEntry, kvDefinition } from '../../../events/kv.js'
import { KvRow } from '../../../projections/kv/kv-row.js'
import { resourceViewsOf } from '../../../projections/definition/resource-views.js'

const anyEntry = fc.record<KvEntry>({
  Key: fc.string({ unit: 'grapheme', maxLength: 20 }),
  Value: fc.option(fc.base64String({ minLength: 4, maxLength: 40 })),
  Flags: fc.oneof(fc.nat(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }).map(String)),
  LockIndex: fc.nat(),
  CreateIndex: fc.nat(),
  ModifyIndex: fc.nat()
})
const tenancy = { partition: 'default', namespace: 'team' }

test('an entry is the same before its JSON was asked for and after', t => {
  fc.assert(
    fc.property(anyEntry, entry => {
      const row = new KvRow(entry, tenancy, 'KVSet')
      const before = [row.value, row.entry]
      t.deepEqual(row.entry, entry)
      const { json } = row
      t.deepEqual([row.value, row.entry], before)
      t.is(row.json, json)
      t.is(new KvRow(entry, tenancy, 'KVSet').jsonWithoutValue, row.jsonWithoutValue)
      const { Value, Namespace }: Readonly<Record<string, unknown>> = JSON.parse(json)
      t.is(Value, entry.Value)
      t.is(Namespace, 'team')
      t.true(json.includes(`"Flags":${entry.Flags},`))
    })
  )
})

test('the JSON of an entry is what its declaration says, with all digits of its flags', t => {
  const shown = resourceViewsOf(kvDefinition)
  fc.assert(
    fc.property(anyEntry, fc.constantFrom('', 'session'), (entry, Session) => {
      const held = Session === '' ? entry : { ...entry, Session }
      const declared = JSON.stringify(shown(held, tenancy))
      t.is(new KvRow(held, tenancy, 'KVLock').json, declared.replace(/"Flags":"(\d+)"/, '"Flags":$1'))
    })
  )
})
