import test from 'ava'
import * as fc from 'fast-check'
import { commitText, eventText, eventTexts } from '../../events/codec.js'
import type { Event } from '../../events/envelope.js'
import { anyCommit } from './commits.js'

test('the JSON of a commit holds exactly the texts that the stream sends', t => {
  fc.assert(
    fc.property(anyCommit, commit => {
      const texts = commit.Events.map(event => eventText(event, commit.Index))
      t.deepEqual(eventTexts(commit), texts)
      t.true(commitText(commit).endsWith(`"Events":[${texts.join(',')}]}`))
      t.deepEqual(
        texts.map(text => JSON.parse(text)),
        commit.Events.map(({ Partition, Payload, ...event }) => ({
          ...event,
          ...(Partition === 'default' ? {} : { Partition }),
          Index: commit.Index,
          Payload
        }))
      )
    })
  )
})

test('the text of an event has its fields in order, and names the partition only when it is not the default', t => {
  const event: Event = {
    Topic: 'KVPair',
    Type: 'KVPairUpserted',
    Key: 'a',
    Namespace: 'n',
    Partition: 'default',
    FilterKeys: null,
    Payload: { b: 1 },
    Secrets: { SecretID: 'hidden' }
  }
  const start = '{"Topic":"KVPair","Type":"KVPairUpserted","Key":"a","Namespace":"n",'
  t.is(eventText(event, 7), `${start}"FilterKeys":null,"Index":7,"Payload":{"b":1}}`)
  const elsewhere = { ...event, Partition: 'p', FilterKeys: ['x'] }
  t.is(eventText(elsewhere, 7), `${start}"Partition":"p","FilterKeys":["x"],"Index":7,"Payload":{"b":1}}`)
  t.is(eventText(event, 8), eventText(event, 7).replace('"Index":7', '"Index":8'))
})
