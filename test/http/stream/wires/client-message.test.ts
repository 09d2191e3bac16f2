import fc from 'fast-check'
import test from 'ava'
import { MessageFault, parametersOf, readMessage } from '../../../../http/stream/wires/client-message.js'

const faultOf = (text: string): MessageFault | undefined => {
  try {
    readMessage(text)
    return undefined
  } catch (error) {
    if (error instanceof MessageFault) return error
    throw error
  }
}

test('a message that is none names the rule, and the subscription that it is about', t => {
  const faults: readonly (readonly [string, RegExp, string?])[] = [
    ['', /^Invalid message: Unexpected end of JSON input/],
    ['nonsense', /^Invalid message: Unexpected token/],
    ['[]', /must be object/],
    ['null', /must be object/],
    ['{}', /must have one member, Token, Subscribe, Unsubscribe, Ack, and has 0/],
    ['{"Unsubscribe":"a","Token":"x"}', /must have one member.* and has 2/, 'a'],
    ['{"Subscribed":{"ID":"a"}}', /unknown field "Subscribed"/],
    ['{"Subscribe":{"ID":"a","Topic":["KV"]}}', /unknown field "Subscribe.Topic"/, 'a'],
    ['{"Subscribe":{"ID":"a","Topics":"KV"}}', /field "Subscribe.Topics" must be array/, 'a'],
    [
      '{"Subscribe":{"ID":"a","Topics":[]}}',
      /field "Subscribe.Topics" must not have fewer than 1 items/,
      'a'
    ],
    ['{"Subscribe":{"ID":"a","Progress":"true"}}', /field "Subscribe.Progress" must be boolean/, 'a'],
    ['{"Subscribe":{"ID":"a","Strict":null}}', /field "Subscribe.Strict" must be boolean/, 'a'],
    ['{"Subscribe":{"Topics":["KV"]}}', /ID/],
    ['{"Subscribe":{"ID":""}}', /field "Subscribe.ID"/],
    [`{"Unsubscribe":"${'x'.repeat(65)}"}`, /field "Unsubscribe"/],
    ['{"Ack":{"ID":"a"}}', /Index/, 'a'],
    ['{"Ack":{"ID":"a","Index":-1}}', /field "Ack.Index"/, 'a'],
    ['{"Ack":{"ID":"a","Index":1.5}}', /field "Ack.Index"/, 'a'],
    ['{"Token":""}', /field "Token"/],
    [`${'['.repeat(200)}${']'.repeat(200)}`, /nested deeper than 128 levels/],
    ['{"Unsubscribe":"a"}{"Unsubscribe":"b"}', /after JSON/]
  ]
  for (const [text, rule, id] of faults) {
    const fault = faultOf(text)
    t.regex(fault?.message ?? '', rule, text)
    t.is(fault?.id, id, text)
  }
})

test('whatever comes is a message or a fault', t => {
  const nearly = fc.record(
    {
      Subscribe: fc.record(
        { ID: fc.anything(), Topics: fc.anything(), Index: fc.anything() },
        { requiredKeys: [] }
      ),
      Unsubscribe: fc.jsonValue(),
      Ack: fc.jsonValue()
    },
    { requiredKeys: [] }
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        nearly.map(value => JSON.stringify(value))
      ),
      text => {
        faultOf(text)
      }
    )
  )
  t.pass()
})

test('a subscription says what a query would', t => {
  const values = parametersOf({ ID: 'a', Topics: ['KV:a', 'Node'], Index: 7, Progress: true, Namespace: '*' })
  t.deepEqual(values.all('topic'), ['KV:a', 'Node'])
  t.is(values.get('index'), '7')
  t.is(values.get('progress'), 'true')
  t.is(values.get('namespace'), '*')
  t.false(values.has('strict'))
  t.false(values.has('id'))
})
