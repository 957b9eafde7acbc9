// Node 20 has no fs.globSync. The conformance suite names it, in a command that is not used here, and would not load.
import fs from "node:fs"
import { register } from "node:module"

const module = (text) => "data:text/javascript," + encodeURIComponent(text)
const whole = module('export * from "node:fs"; export { default } from "node:fs"; export const globSync = undefined')
const resolve = `export const resolve = (name, context, next) =>
  name === "fs" ? { url: ${JSON.stringify(whole)}, shortCircuit: true } : next(name, context)`

if (!fs.globSync) register(module(resolve))
