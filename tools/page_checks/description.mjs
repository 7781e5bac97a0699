// Validates the description of the API against OpenAPI's schema, and its references.
//   node description.mjs URL
import SwaggerParser from "@apidevtools/swagger-parser";

const text = await (await fetch(`${process.argv[2]}/openapi.json`)).text();
const api = await SwaggerParser.validate(JSON.parse(text));
console.log(`OpenAPI ${api.openapi}: ${Object.keys(api.paths).length} paths are valid`);
