#!/usr/bin/env node
import { runProgram } from '../../src/cli/program.ts';
import { PROGRAM } from './program.ts';

await runProgram(PROGRAM);
