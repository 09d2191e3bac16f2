// Clients that were written for one server, and the recorded cases, against a server that follows.
import Consul from 'consul'
import test from 'ava'
import { caseFiles, playFile } from '../../conformance/play-file.js'
import { compare } from '../../conformance/compare.js'
import { transcribe, type PlayedServer } from '../../conformance/player.js'
import { missing } from '../../support/programs.js'
import { ROOT } from '../../support/server.js'
import { loopbackCluster, startServers } from '../cluster.js'

test('placeholder', t => t.pass())
