// Listeners receive the events of their topics only, in the order of the commit, until they unsubscribe.
import test from 'ava'
import { CommitTopics } from '../../actors/commit-topics.js'
import { SERVER } from '../../actors/aggregate.js'
import { Committer } from '../../actors/committer.js'
import { createEvent, type Commit, type Event } from '../../events/envelope.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { Views } from '../../projections/read-models.js'
import { settingsOfTests } from '../support/decision-spec.js'

const commitOf = (index: number, ...events: readonly Event[]): Commit => ({
  Index: index,
  Time: '2026-01-01T00:00:00Z',
  By: { Command: 'Test', AccessorID: SERVER.accessor, Address: SERVER.address, RequestID: SERVER.requestId },
  Events: events
})

const eventOf = (topic: string, key: string): Event =>
  createEvent({ Topic: topic, Type: `${topic}Created`, Key: key, Payload: {} })

test('a listener receives the events of its topic with their commit, in order', t => {
  const topics = new CommitTopics()
  const received: string[] = []
  topics.on('A', ({ Key }, { Index }) => received.push(`${Key}@${Index}`))
  topics.dispatch(commitOf(1, eventOf('A', 'one'), eventOf('B', 'two'), eventOf('A', 'three')))
  topics.dispatch(commitOf(2, eventOf('B', 'four')))
  topics.dispatch(commitOf(3, eventOf('A', 'five')))
  t.deepEqual(received, ['one@1', 'three@1', 'five@3'])
})

test('a listener that unsubscribes receives nothing more, and the others of its topic do', t => {
  const topics = new CommitTopics()
  const received: string[] = []
  const end = topics.on('A', ({ Key }) => {
    received.push(`first ${Key}`)
    end()
  })
  topics.on('A', ({ Key }) => received.push(`second ${Key}`))
  topics.dispatch(commitOf(1, eventOf('A', 'one')))
  topics.dispatch(commitOf(2, eventOf('A', 'two')))
  t.deepEqual(received, ['first one', 'second one', 'second two'])
})

test('the committer dispatches a commit when the read models contain it, decided here or by the leader', t => {
  const views = new Views(settingsOfTests)
  const committer = new Committer(new MemoryEventLog(), views)
  t.teardown(() => committer.stop())
  const received: string[] = []
  committer.on('A', (_, { Index }) => received.push(`${Index} of ${views.index}`))
  committer.commit(commitOf(1, eventOf('A', 'one')))
  committer.follow([commitOf(2, eventOf('A', 'two')), commitOf(3, eventOf('B', 'three'))])
  t.deepEqual(received, ['1 of 1', '2 of 2'])
})
