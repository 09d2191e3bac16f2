// `annals`: a log as values. Loads nothing of a server.

export type { Commit, Event, Origin } from '../events/envelope.js'
export { CommitsPruned as CommitsGone, LogDamage, LogUnusable } from '../events/log/log.js'
export type { AnyEvent, EventName, EventNamed, EventOfTopic, TopicName } from './events.js'
export { durable, type DurableOptions, type DurableProjection, type DurableState } from './durable.js'
export { FilesLog, type FilesLogOptions } from './files-log.js'
export type {
  CommitRange,
  ReadableLog,
  ResourceSelector as ThingKey,
  TopicCommit,
  TopicRange
} from './log.js'
export { openLog } from './open-log.js'
export {
  project,
  Timeline,
  type Handlers,
  type CustomProjection as OwnProjection,
  type ProjectionOptions,
  type Step
} from './project.js'
export { ServerLog, ServerRefused, type ServerLogOptions } from './server-log.js'
