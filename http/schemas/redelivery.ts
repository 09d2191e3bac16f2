// Redeliveries of webhooks in bodies and responses.
import * as Type from 'typebox'
import { integer, strict, text } from './strict.js'
import { sample, view } from './view.js'

export const redeliveryBody = strict(
  {
    From: integer('Index of the first commit; none: all ranges of Undelivered, one after the other'),
    To: integer('Index of the last commit; none: that of From')
  },
  { $id: 'RedeliveryRange', examples: [{ From: 42, To: 44 }] }
)

const result = view('RedeliveredRange', {
  From: sample.integer(42, 'Index of the first commit'),
  To: sample.integer(44, 'Everything up to this index was accepted; less than From: nothing was'),
  Messages: sample.integer(2, 'Messages that the receiver accepted'),
  Reason: text('Why the next request was not accepted; nothing was sent after it')
})

export const redeliveryResult = Type.Array(result)
