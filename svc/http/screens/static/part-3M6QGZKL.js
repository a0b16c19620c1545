import{c as a,d as b,e as c,f as d}from"./part-36G4K26C.js";import"./part-RD25VZWC.js";import"./part-RBMK3ZKQ.js";export{d as Sender,a as StateBadge,c as default,b as nameOf};
