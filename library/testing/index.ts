// `annals/testing`: a server in this process whose time and log are the test's.
import 'reflect-metadata'

export { MemoryLog, type EventInput as GivenEvent } from './memory-log.js'
export {
  withInitialEvents as given,
  type InitialEvents as Given,
  type TestServer,
  type TestServerOptions
} from './server.js'
