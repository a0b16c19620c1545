import{a as o}from"./part-4HL5P5AL.js";var r=t=>o("record.list","records",t);export{r as a};
