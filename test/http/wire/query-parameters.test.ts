// Rejection of unknown query parameters.
import test from 'ava'
import { refuseUnknown } from '../../../http/wire/query-parameters.js'
import { Query } from '../../../http/wire/query.js'
import { anyToken, type RouteFacts } from '../../../http/wire/route.js'

const facts: RouteFacts = {
  tag: 'Events',
  method: 'GET',
  path: '/v1/some/resource',
  operationId: 'readSome',
  summary: 'Some resource',
  access: anyToken(),
  tenancy: 'none',
  blocking: false,
  consistency: 'none',
  caching: 'none',
  query: { topic: 'What it is about' }
}

const refuse = (text: string) => (): void => refuseUnknown(facts, new Query(text))

test('a parameter that is not declared is named, with those that are', t => {
  t.throws(refuse('topic=a&topics=b'), {
    message: 'Unknown query parameter "topics": known are dc, pretty, topic'
  })
  t.throws(refuse('Topic=a'), { message: /^Unknown query parameter "Topic"/ })
  t.throws(refuse('toString'), { message: /^Unknown query parameter "toString"/ })
})

test('what clients send with every request is taken', t => {
  t.notThrows(
    refuse(
      'topic=a&topic=b&dc=dc1&region=global&ns=a&namespace=a&partition=b&token=c&stale&consistent&cached&wait=5s&pretty' +
        '&params=&prefix=a&per_page=5&next_token=x&reverse=true'
    )
  )
  t.notThrows(refuse(''))
  t.notThrows(refuse('topic=a&'))
})
