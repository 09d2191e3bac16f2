// `annals/testing`: a server in this process whose time and log are the test's.
import 'reflect-metadata'

export { MemoryLog, type GivenEvent } from './given.js'
export { given, type Given, type TestServer, type TestServerOptions } from './server.js'
