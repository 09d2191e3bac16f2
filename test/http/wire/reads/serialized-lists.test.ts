import test from 'ava'
import { Query } from '../../../../http/wire/query.js'
import { SerializedLists } from '../../../../http/wire/reads/serialized-lists.js'
import type { Question } from '../../../../projections/acl/usage/question.js'
import { allowEverything } from '../../../../projections/acl/authorizer.js'

test('a list that was begun before a rebuild of the read models is not returned after it', t => {
  const lists = new SerializedLists()
  const authority = { token: undefined, authorizer: allowEverything }
  const credited: Question[] = []
  const filterQuestions: readonly Question[] = [
    {
      resource: 'node',
      access: 'read',
      segment: '',
      extent: 'list',
      partition: 'default',
      namespace: 'default'
    }
  ]
  const request = {
    query: Query.EMPTY,
    past: undefined,
    authority,
    usage: {
      rowQuestions: filterQuestions,
      credit: (questions: readonly Question[]) => void credited.push(...questions)
    }
  }
  const before = { rows: {}, form: 'nodes', index: 7, generation: 1 }
  lists.keep(request, before, { body: '[]', isShortened: false })
  t.is(lists.find(request, before)?.body.toString(), '[]')
  t.is(lists.find(request, { ...before, generation: 2 }), undefined)
  t.is(lists.find(request, { ...before, index: 8 }), undefined)
  t.deepEqual(credited, filterQuestions)
})
