import{a as o}from"./part-TA4ALU4J.js";var r=t=>o("record.list","records",t);export{r as a};
